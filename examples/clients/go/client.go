// A small client of the interface, with Go's standard library alone.
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Record is one record of a resource. Numbers are json.Number, so that ids keep every digit.
type Record = map[string]any

// ServiceError says that the service said no.
type ServiceError struct {
	Status     int
	Message    string
	Subcode    any
	ResourceID any
	// Faults of a 400: which attribute is wrong, and why.
	Faults []Fault
}

type Fault struct{ Attribute, Reason string }

func (e *ServiceError) Error() string { return fmt.Sprintf("%d: %s", e.Status, e.Message) }

// ErrNotTheService is an answer of something else: a wrong address, or a proxy's page.
var ErrNotTheService = errors.New("the answer is not the service's")

// ErrOutcomeUnknown says that a POST was sent and got no answer. Look before you send it again.
var ErrOutcomeUnknown = errors.New("outcome unknown")

// Client signs with the company's key, or with the partner's where Partner is set. The key is never sent.
type Client struct {
	BaseURL, APIKey        string
	Company, User, Partner string
	// Names of a deployment: `X-Svc-`, and `SvcHash` or `SvcPartner`, where they are empty.
	HeaderPrefix, Scheme string
}

const attempts = 3

var transport = func() *http.Transport {
	own := http.DefaultTransport.(*http.Transport).Clone()
	// Go repeats a GET on a connection that was just closed, with the same nonce.
	own.DisableKeepAlives = true
	return own
}()

var httpClient = &http.Client{
	Timeout:   30 * time.Second,
	Transport: transport,
	// A signature holds for one path of one host, so nothing is followed.
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Get gives one record, or a ServiceError 404.
func (c *Client) Get(resource string, id any) (Record, error) {
	answer, err := c.Request("GET", fmt.Sprintf("/v1/%s/%v", resource, id), nil, nil)
	if err != nil {
		return nil, err
	}
	return answer.one()
}

func (c *Client) Exists(resource string, filters url.Values) (bool, error) {
	_, err := c.Request("HEAD", "/v1/"+resource, filters, nil)
	if isStatus(err, 404) {
		return false, nil
	}
	return err == nil, err
}

// List calls each with every record once. sort must be unique, as ids are: `start` is a value of it, and ties would
// repeat or hide rows. To have another order, sort what this gives.
func (c *Client) List(resource string, filters url.Values, page int, sort string, each func(Record) error) error {
	for start := ""; ; {
		query := url.Values{"sort": {sort}, "count": {strconv.Itoa(page)}}
		for name, values := range filters {
			query[name] = values
		}
		if start != "" {
			query.Set("start", start)
		}
		answer, err := c.Request("GET", "/v1/"+resource, query, nil)
		if isStatus(err, 404) {
			return nil // Nothing matches: an empty list.
		}
		if err != nil {
			return err
		}
		for _, row := range answer.rows() {
			if err := each(row); err != nil {
				return err
			}
		}
		if answer.Next == nil {
			return nil
		}
		next := fmt.Sprint(answer.Next)
		if next == start {
			return fmt.Errorf("%w: the pages of %s do not go on", ErrNotTheService, resource)
		}
		start = next
	}
}

func (c *Client) Create(resource string, attributes Record) (Record, error) {
	answer, err := c.Request("POST", "/v1/"+resource, nil, attributes)
	if err != nil {
		return nil, err
	}
	return answer.one()
}

// Update changes one record; without an id the attributes say which.
func (c *Client) Update(resource string, id any, attributes Record) error {
	path := "/v1/" + resource
	if id != nil {
		path += fmt.Sprintf("/%v", id)
	}
	_, err := c.Request("PUT", path, nil, attributes)
	return err
}

func (c *Client) Delete(resource string, id any) error {
	_, err := c.Request("DELETE", fmt.Sprintf("/v1/%s/%v", resource, id), nil, nil)
	return err
}

// Answer is the `response` of a success; empty for a HEAD.
type Answer struct {
	Count int `json:"count"`
	Next  any `json:"next"`
	Data  any `json:"data"`
}

// rows gives an array also where a filter named one record by its id, and the service gave an object.
func (a *Answer) rows() []Record {
	all, isArray := a.Data.([]any)
	if !isArray {
		all = []any{a.Data}
	}
	var rows []Record
	for _, each := range all {
		if row, ok := each.(Record); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

func (a *Answer) one() (Record, error) {
	if rows := a.rows(); len(rows) == 1 {
		return rows[0], nil
	}
	return nil, fmt.Errorf("%w: no record in it", ErrNotTheService)
}

// Request sends one request, and repeats it where that is safe.
func (c *Client) Request(method, path string, query url.Values, body Record) (*Answer, error) {
	for attempt := 1; ; attempt++ {
		last := attempt == attempts
		pause := 200 * time.Millisecond << attempt
		status, wait, text, sent, err := c.send(method, path, query, body)
		if err != nil {
			// Repeating a GET, PUT or DELETE changes nothing more; a POST may have been done.
			if method == "POST" && sent {
				return nil, fmt.Errorf("%w: POST %s: %v", ErrOutcomeUnknown, path, err)
			}
			if last {
				return nil, err
			}
			time.Sleep(pause)
			continue
		}
		if !last && (status == 429 || (status >= 500 && method != "POST")) {
			if seconds, err := strconv.Atoi(wait); err == nil && seconds >= 0 {
				pause = time.Duration(min(30, seconds)) * time.Second
			}
			time.Sleep(pause)
			continue
		}
		// The first attempt had done it, and its answer was lost.
		if method == "DELETE" && status == 404 && attempt > 1 {
			return &Answer{}, nil
		}
		return read(method, path, status, text)
	}
}

// send signs with a new Date and nonce, and says whether the request was written.
func (c *Client) send(method, path string, query url.Values, body Record) (status int, wait string, text []byte, sent bool, err error) {
	base, err := url.Parse(strings.TrimRight(c.BaseURL, "/"))
	if err != nil {
		return
	}
	path = base.Path + path
	prefix := or(c.HeaderPrefix, "X-Svc-")
	random := make([]byte, 20)
	if _, err = rand.Read(random); err != nil {
		return
	}
	signed := [][2]string{{"Date", time.Now().UTC().Format(http.TimeFormat)}}
	for _, id := range [][2]string{{"PID", c.Partner}, {"CID", c.Company}, {"UID", c.User}} {
		if id[1] != "" {
			signed = append(signed, [2]string{prefix + id[0], id[1]})
		}
	}
	signed = append(signed, [2]string{prefix + "Nonce", hex.EncodeToString(random)})
	var content []byte
	if body != nil {
		if content, err = json.Marshal(body); err != nil {
			return
		}
	}
	target := base.Scheme + "://" + base.Host + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	request, err := http.NewRequest(method, target, bytes.NewReader(content))
	if err != nil {
		return
	}
	// Method and path without its query, the headers in this order, and the key, joined by CR LF.
	lines := []string{method + " " + path}
	for _, header := range signed {
		lines = append(lines, header[0]+": "+header[1])
		request.Header.Set(header[0], header[1])
	}
	signature := sha1.Sum([]byte(strings.Join(append(lines, c.APIKey), "\r\n")))
	scheme := "SvcHash"
	if c.Partner != "" {
		scheme = "SvcPartner"
	}
	request.Header.Set("Authorization", fmt.Sprintf("%s signature=\"%x\"", or(c.Scheme, scheme), signature))
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	trace := &httptrace.ClientTrace{WroteHeaders: func() { sent = true }}
	answer, err := httpClient.Do(request.WithContext(httptrace.WithClientTrace(request.Context(), trace)))
	if err != nil {
		return
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header.Get("Retry-After"), text, sent, err
}

func read(method, path string, status int, text []byte) (*Answer, error) {
	if method == "HEAD" && len(text) == 0 {
		if status < 300 {
			return &Answer{}, nil
		}
		return nil, &ServiceError{Status: status}
	}
	var envelope struct {
		Status   string          `json:"status"`
		Response json.RawMessage `json:"response"`
	}
	foreign := fmt.Errorf("%s %s: %d: %w", method, path, status, ErrNotTheService)
	if json.Unmarshal(text, &envelope) != nil || envelope.Response == nil {
		return nil, foreign
	}
	decoder := json.NewDecoder(bytes.NewReader(envelope.Response))
	decoder.UseNumber()
	if strings.EqualFold(envelope.Status, "ok") && status < 300 {
		var answer Answer
		if decoder.Decode(&answer) != nil {
			return nil, foreign
		}
		return &answer, nil
	}
	var refusal struct {
		Message    string          `json:"message"`
		Subcode    any             `json:"subcode"`
		ResourceID any             `json:"resource_id"`
		Details    json.RawMessage `json:"additional_information"`
	}
	if !strings.EqualFold(envelope.Status, "error") || decoder.Decode(&refusal) != nil {
		return nil, foreign
	}
	var faults []Fault
	if json.Unmarshal(refusal.Details, &faults) != nil {
		faults = nil // Details of another kind.
	}
	return nil, &ServiceError{status, refusal.Message, refusal.Subcode, refusal.ResourceID, faults}
}

func isStatus(err error, status int) bool {
	var refused *ServiceError
	return errors.As(err, &refused) && refused.Status == status
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}
