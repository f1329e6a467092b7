<?php
// A client of a deployment in PHP. It uses one curl handle, the names of the deployment, UUID nonces and form bodies. Every method
// is a custom request. For HEAD, curl waits for a body unless the response shows where it ends. Prints a line for each call: the
// method, the target, the status and the checked value.
error_reporting(E_ALL);

$curl = curl_init();
$connections = 0;
$made = null;

function uuid(): string
{
    $octets = random_bytes(16);
    $octets[6] = chr(ord($octets[6]) & 0x0f | 0x40);
    $octets[8] = chr(ord($octets[8]) & 0x3f | 0x80);
    return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($octets), 4));
}

function call(string $method, string $target, ?array $form = null, ?string $key = null, ?callable $look = null)
{
    global $curl, $connections, $made;
    $prefix = getenv('PREFIX');
    $date = gmdate('D, d M Y H:i:s') . ' GMT';
    $ids = ['CID' => getenv('CID'), 'UID' => getenv('USER_ID'), 'Nonce' => uuid()];
    $lines = [$method . ' ' . explode('?', $target)[0], "Date: $date"];
    $headers = ["Date: $date", 'Accept: application/json'];
    foreach ($ids as $name => $value) {
        $lines[] = "$prefix$name: $value";
        $headers[] = "$prefix$name: $value";
    }
    $lines[] = $key ?? getenv('KEY');
    $headers[] = 'Authorization: ' . getenv('SCHEME') . ' signature="' . sha1(implode("\r\n", $lines)) . '"';
    curl_reset($curl);
    if ($form !== null) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, http_build_query($form));
    } elseif ($method !== 'HEAD') {
        curl_setopt($curl, CURLOPT_POSTFIELDS, 'null');
        $headers[] = 'Content-Type: application/json';
    }
    $at = getenv('HOST') . ':' . getenv('PORT');
    curl_setopt_array($curl, [
        CURLOPT_URL => "https://$at$target",
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => $headers,
        // Replaces a line in /etc/hosts.
        CURLOPT_RESOLVE => ["$at:127.0.0.1"],
        CURLOPT_PROXY => '',
        CURLOPT_CAINFO => getenv('CA'),
        CURLOPT_RETURNTRANSFER => true,
        // Shorter than the time for which the sandbox keeps an idle connection open.
        CURLOPT_TIMEOUT => 5,
    ]);
    $text = curl_exec($curl);
    if ($text === false) {
        fwrite(STDERR, "$method $target: " . curl_error($curl) . "\n");
        exit(1);
    }
    $connections += curl_getinfo($curl, CURLINFO_NUM_CONNECTS);
    $data = $text === '' ? null : json_decode($text, true, 512, JSON_THROW_ON_ERROR)['response']['data'] ?? null;
    $shown = $made === null ? $target : str_replace("/{$made['id']}", '/ID', $target);
    $seen = $look === null ? '' : $look($data);
    echo "$method $shown ", curl_getinfo($curl, CURLINFO_RESPONSE_CODE), ' ', is_bool($seen) ? ($seen ? 'True' : 'False') : $seen, "\n";
    return $data;
}

call('HEAD', '/v1/folder?title=News');
$made = call('POST', '/v1/folder', ['title' => 'News'], look: fn ($data) => $data['title']);
call('HEAD', '/v1/folder?title=News');
call('GET', '/v1/folder', look: fn ($data) => $data[0]['title']);
call('PUT', "/v1/folder/{$made['id']}", ['title' => "Caf\u{e9} & more"], look: fn ($data) => $data[0]['title']);
call('GET', '/v1/user?currentuser=True', look: fn ($data) => $data[0]['isadmin']);
call('DELETE', "/v1/folder/{$made['id']}", look: fn ($data) => $data['id'] === $made['id']);
call('GET', '/v1/folder');
call('GET', '/v0/folder');
call('GET', '/v1/user', key: str_repeat('0', 32));
echo "connections $connections\n";
