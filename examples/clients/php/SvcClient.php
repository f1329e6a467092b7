<?php
// A small client of the interface, with PHP's own curl extension.

/** The service said no. */
final class ServiceError extends Exception
{
    public ?int $subcode;
    public int|string|null $resourceId;
    /** Of a 400: which attribute is wrong, and why. */
    public array $faults;

    public function __construct(public readonly int $status, array $response)
    {
        parent::__construct("$status: " . ($response['message'] ?? 'no message'));
        $this->subcode = $response['subcode'] ?? null;
        $this->resourceId = $response['resource_id'] ?? null;
        $details = $response['additional_information'] ?? null;
        $this->faults = is_array($details) && array_is_list($details) ? $details : [];
    }
}

/** An answer that is not the service's (a wrong address, a proxy's page), or none at all. */
final class NotTheService extends Exception
{
}

/** A POST was sent and got no answer. Look before you send it again. */
final class OutcomeUnknown extends Exception
{
}

final class SvcClient
{
    private const ATTEMPTS = 3;
    /** Errors of curl before anything was sent: name, connection, TLS. */
    private const NOT_SENT = [5, 6, 7, 35, 60];
    private string $base;
    private string $prefix;
    private string $scheme;
    private array $ids;

    /** @param array $names a deployment's own header prefix and schemes. The key is never sent. */
    public function __construct(
        string $baseUrl,
        private string $apiKey,
        ?string $company = null,
        ?string $user = null,
        ?string $partner = null,
        array $names = [],
        private int $timeout = 30,
    ) {
        $this->base = rtrim($baseUrl, '/');
        $this->ids = ['PID' => $partner, 'CID' => $company, 'UID' => $user];
        $this->prefix = ($names['header_prefix'] ?? '') ?: 'X-Svc-';
        $this->scheme = $partner === null
            ? (($names['company_scheme'] ?? '') ?: 'SvcHash')
            : (($names['partner_scheme'] ?? '') ?: 'SvcPartner');
    }

    /** One record. Throws ServiceError 404 where there is none. */
    public function get(string $resource, int|string $id): array
    {
        return $this->request('GET', "/v1/$resource/$id")['data'];
    }

    public function exists(string $resource, array $filters): bool
    {
        try {
            $this->request('HEAD', "/v1/$resource", $filters);
            return true;
        } catch (ServiceError $error) {
            if ($error->status === 404) {
                return false;
            }
            throw $error;
        }
    }

    /**
     * Every record once. $sort must be unique, as ids are: `start` is a value of it, and ties would repeat or hide rows. To
     * have another order, sort what this gives.
     */
    public function list(string $resource, array $filters = [], int $page = 200, string $sort = 'id'): Generator
    {
        $start = null;
        do {
            $place = $start === null ? [] : ['start' => $start];
            try {
                $answer = $this->request('GET', "/v1/$resource", $filters + ['sort' => $sort, 'count' => $page] + $place);
            } catch (ServiceError $error) {
                // Nothing matches: an empty list.
                if ($error->status === 404) {
                    return;
                }
                throw $error;
            }
            // An object where a filter named one record by its id.
            $rows = array_is_list($answer['data']) ? $answer['data'] : [$answer['data']];
            foreach ($rows as $row) {
                yield $row;
            }
            if ($answer['next'] !== null && $answer['next'] === $start) {
                throw new NotTheService("the pages of $resource do not go on");
            }
            $start = $answer['next'];
        } while ($start !== null);
    }

    public function create(string $resource, array $attributes): array
    {
        return $this->request('POST', "/v1/$resource", body: $attributes)['data'];
    }

    /** The records changed; without an id the attributes say which one. */
    public function update(string $resource, int|string|null $id, array $attributes): array
    {
        return $this->request('PUT', "/v1/$resource" . ($id === null ? '' : "/$id"), body: $attributes)['data'];
    }

    public function delete(string $resource, int|string $id): void
    {
        $this->request('DELETE', "/v1/$resource/$id");
    }

    /** One request, with its repetitions; the `response` of the answer, or null for a HEAD. */
    public function request(string $method, string $path, array $query = [], ?array $body = null): ?array
    {
        for ($attempt = 1; ; $attempt++) {
            $isLast = $attempt === self::ATTEMPTS;
            [$problem, $status, $text, $wait] = $this->send($method, $path, $query, $body);
            if ($problem !== null) {
                [$code, $words] = $problem;
                // Repeating a GET, PUT or DELETE changes nothing more; a POST may have been done.
                if ($method === 'POST' && !in_array($code, self::NOT_SENT, true)) {
                    throw new OutcomeUnknown("POST $path: $words");
                }
                if ($isLast) {
                    throw new NotTheService("$method $path: $words");
                }
                usleep(200_000 * 2 ** $attempt);
                continue;
            }
            if (!$isLast && ($status === 429 || ($status >= 500 && $method !== 'POST'))) {
                usleep($wait === null ? 200_000 * 2 ** $attempt : 1_000_000 * min(30, $wait));
                continue;
            }
            // The first attempt had done it, and its answer was lost.
            if ($method === 'DELETE' && $status === 404 && $attempt > 1) {
                return ['count' => 0, 'next' => null, 'data' => null];
            }
            return self::read("$method $path", $status, $text);
        }
    }

    /** A new Date and nonce for every attempt. */
    private function send(string $method, string $path, array $query, ?array $body): array
    {
        $path = (parse_url($this->base, PHP_URL_PATH) ?? '') . $path;
        $signed = ['Date: ' . gmdate('D, d M Y H:i:s') . ' GMT'];
        foreach ($this->ids as $name => $id) {
            if ($id !== null) {
                $signed[] = "$this->prefix$name: $id";
            }
        }
        $signed[] = $this->prefix . 'Nonce: ' . bin2hex(random_bytes(20));
        // Method and path without its query, the headers in this order, and the key, joined by CR LF.
        $signature = sha1(implode("\r\n", ["$method $path", ...$signed, $this->apiKey]));
        $headers = [...$signed, 'Accept: application/json', "Authorization: $this->scheme signature=\"$signature\""];
        $wait = null;
        $origin = preg_replace('#^(https?://[^/]+).*#', '$1', $this->base);
        $curl = curl_init($origin . $path . ($query === [] ? '' : '?' . http_build_query(self::inQuery($query))));
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
            curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode((object) $body, JSON_THROW_ON_ERROR));
        }
        if ($method === 'HEAD') {
            // It has no body to wait for.
            curl_setopt($curl, CURLOPT_NOBODY, true);
        } else {
            curl_setopt($curl, CURLOPT_CUSTOMREQUEST, $method);
        }
        curl_setopt_array($curl, [
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_TIMEOUT => $this->timeout,
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$wait): int {
                if (preg_match('/^retry-after: *([0-9]+)\s*$/i', $line, $found)) {
                    $wait = (int) $found[1];
                }
                return strlen($line);
            },
        ]);
        // A private authority's certificate.
        if (getenv('SSL_CERT_FILE')) {
            curl_setopt($curl, CURLOPT_CAINFO, getenv('SSL_CERT_FILE'));
        }
        $text = curl_exec($curl);
        $problem = $text === false ? [curl_errno($curl), curl_error($curl)] : null;
        return [$problem, curl_getinfo($curl, CURLINFO_RESPONSE_CODE), (string) $text, $wait];
    }

    /** http_build_query leaves null out, and writes true as 1. */
    private static function inQuery(array $query): array
    {
        return array_map(fn ($value) => is_bool($value) ? ($value ? 'true' : 'false') : (string) $value, $query);
    }

    private static function read(string $what, int $status, string $text): ?array
    {
        if (str_starts_with($what, 'HEAD ') && $text === '') {
            return $status < 300 ? null : throw new ServiceError($status, []);
        }
        // An id that no integer of PHP holds stays text, digit for digit.
        $envelope = json_decode($text, true, 512, JSON_BIGINT_AS_STRING);
        $kind = is_array($envelope) ? strtolower((string) ($envelope['status'] ?? '')) : '';
        $response = $envelope['response'] ?? null;
        if (!in_array($kind, ['ok', 'error'], true) || !is_array($response)) {
            throw new NotTheService("$what: $status, and the answer is not the service's");
        }
        return $kind === 'ok' && $status < 300 ? $response : throw new ServiceError($status, $response);
    }
}
