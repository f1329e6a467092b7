<?php
// A whole campaign: php campaign.php LIST SUBSCRIBER FIELD (ids)
// One request: php campaign.php request METHOD TARGET [JSON]
require __DIR__ . '/SvcClient.php';

$env = fn (string $name): ?string => getenv($name) === false || getenv($name) === '' ? null : getenv($name);
$partner = $env('SVC_PARTNER_ID');
$client = new SvcClient(
    $env('SVC_BASE_URL'),
    $partner === null ? $env('SVC_API_KEY') : $env('SVC_PARTNER_API_KEY'),
    company: $env('SVC_COMPANY_ID'),
    // With a partner's signature and no user the company's admin acts.
    user: $env('SVC_USER_ID'),
    partner: $partner,
    names: [
        'header_prefix' => $env('SVC_HEADER_PREFIX'),
        'company_scheme' => $env('SVC_COMPANY_SCHEME'),
        'partner_scheme' => $env('SVC_PARTNER_SCHEME'),
    ],
);

/** What the service must refuse. */
function refused(int $status, callable $call): ServiceError
{
    try {
        $call();
    } catch (ServiceError $error) {
        return $error->status === $status ? $error : throw $error;
    }
    throw new Exception("not refused with $status");
}

$word = fn (bool $value): string => $value ? 'true' : 'false';

function campaign(SvcClient $client, callable $word, int $list, int $subscriber, int $field): void
{
    $message = $client->create('emailMessage', [
        'name' => 'Spring',
        'subject' => 'Spring is here',
        'fromname' => 'Shop',
        'fromemail' => null,
        'replyemail' => 'shop@example.com',
        'html' => '<p>Hello. <a href="https://example.com/">Our offers</a></p>',
        'text' => 'Hello. Our offers: https://example.com/',
    ]);
    echo "message created\n";
    $task = $client->create('task', [
        'channel' => 'email',
        'message_id' => $message['id'],
        'name' => 'Spring',
        'scheduledtime' => time() + 86400,
        'list_id' => $list,
        'search_id' => null,
    ]);
    $read = $client->get('task', $task['id']);
    echo "task of size {$read['size']} cancelled ", $word($read['cancelled']), "\n";
    $client->update('task', $task['id'], ['cancelled' => true]);
    echo 'task cancelled ', $word($client->get('task', $task['id'])['cancelled']), "\n";
    $again = refused(409, fn () => $client->update('task', $task['id'], ['cancelled' => true]));
    echo "cancelled again $again->status\n";
    $client->delete('emailMessage', $message['id']);
    echo "message deleted\n";

    $pair = ['subscriber_id' => $subscriber, 'subscriberprofilefield_id' => $field];
    foreach (['red', 'blue'] as $value) {
        // By its pair PUT stores the value, whether there was one or not.
        $client->update('subscriberProfileData', null, $pair + ['value' => $value]);
        [$stored] = iterator_to_array($client->list('subscriberProfileData', $pair, sort: 'subscriber_id'), false);
        echo "profile data {$stored['value']}\n";
    }
    $client->delete('subscriberProfileData', $stored['id']);

    $gone = ['contactdata' => 'gone@example.com'];
    $entry = $client->create('doNotContact', $gone);
    $again = refused(409, fn () => $client->create('doNotContact', $gone));
    echo 'do not contact ', $again->resourceId === $entry['id'] ? 'listed already' : 'False', "\n";
    echo 'listed ', $word($client->exists('doNotContact', $gone)), "\n";
    $client->delete('doNotContact', $entry['id']);
    echo 'listed ', $word($client->exists('doNotContact', $gone)), "\n";

    $same = ['name' => 'Same & same'];
    $made = [];
    for ($at = 0; $at < 5; $at++) {
        $made[] = $client->create('folder', $same)['id'];
    }
    $found = array_column(iterator_to_array($client->list('folder', $same, page: 2), false), 'id');
    sort($made);
    echo 'folders ', count($found), ' each once ', $word($found === $made), "\n";
    foreach ($found as $id) {
        $client->delete('folder', $id);
    }
    echo 'folders left ', count(iterator_to_array($client->list('folder', $same), false)), "\n";
    echo 'fault of ', refused(400, fn () => $client->create('folder', ['name' => '']))->faults[0]['attribute'], "\n";
}

try {
    if ($argv[1] === 'request') {
        [$path, $query] = explode('?', $argv[3], 2) + [1 => ''];
        parse_str($query, $pairs);
        $body = isset($argv[4]) ? json_decode($argv[4], true, 512, JSON_THROW_ON_ERROR) : null;
        echo json_encode($client->request($argv[2], $path, $pairs, $body)), "\n";
    } else {
        campaign($client, $word, (int) $argv[1], (int) $argv[2], (int) $argv[3]);
    }
} catch (ServiceError $error) {
    fwrite(STDERR, "refused with {$error->getMessage()}\n");
    exit(1);
} catch (OutcomeUnknown $error) {
    fwrite(STDERR, "outcome unknown: {$error->getMessage()}\n");
    exit(10);
}
