// A whole campaign: go run . LIST SUBSCRIBER FIELD (ids)
// One request:      go run . request METHOD TARGET [JSON]
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"
)

func main() {
	client := &Client{
		BaseURL: os.Getenv("SVC_BASE_URL"),
		APIKey:  os.Getenv("SVC_API_KEY"),
		Company: os.Getenv("SVC_COMPANY_ID"),
		// With a partner's signature and no user the company's admin acts.
		User:         os.Getenv("SVC_USER_ID"),
		Partner:      os.Getenv("SVC_PARTNER_ID"),
		HeaderPrefix: os.Getenv("SVC_HEADER_PREFIX"),
		Scheme:       os.Getenv("SVC_COMPANY_SCHEME"),
	}
	if client.Partner != "" {
		client.APIKey, client.Scheme = os.Getenv("SVC_PARTNER_API_KEY"), os.Getenv("SVC_PARTNER_SCHEME")
	}
	var err error
	switch {
	case len(os.Args) > 3 && os.Args[1] == "request":
		err = request(client, os.Args[2:])
	case len(os.Args) == 4:
		err = campaign(client, json.Number(os.Args[1]), json.Number(os.Args[2]), json.Number(os.Args[3]))
	default:
		err = errors.New("campaign LIST SUBSCRIBER FIELD, or request METHOD TARGET [JSON]")
	}
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, ErrOutcomeUnknown) {
		os.Exit(10)
	}
	os.Exit(1)
}

func request(client *Client, words []string) error {
	path, query, _ := strings.Cut(words[1], "?")
	pairs, err := url.ParseQuery(query)
	if err != nil {
		return err
	}
	var body Record
	if len(words) > 2 {
		decoder := json.NewDecoder(strings.NewReader(words[2]))
		decoder.UseNumber()
		if err := decoder.Decode(&body); err != nil {
			return err
		}
	}
	answer, err := client.Request(words[0], path, pairs, body)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(answer)
}

// refused gives what the service must refuse.
func refused(status int, err error) (*ServiceError, error) {
	var refusal *ServiceError
	if errors.As(err, &refusal) && refusal.Status == status {
		return refusal, nil
	}
	return nil, fmt.Errorf("not refused with %d: %v", status, err)
}

func campaign(client *Client, list, subscriber, field json.Number) error {
	message, err := client.Create("emailMessage", Record{
		"name":       "Spring",
		"subject":    "Spring is here",
		"fromname":   "Shop",
		"fromemail":  nil,
		"replyemail": "shop@example.com",
		"html":       `<p>Hello. <a href="https://example.com/">Our offers</a></p>`,
		"text":       "Hello. Our offers: https://example.com/",
	})
	if err != nil {
		return err
	}
	fmt.Println("message created")
	task, err := client.Create("task", Record{
		"channel":       "email",
		"message_id":    message["id"],
		"name":          "Spring",
		"scheduledtime": time.Now().Unix() + 86400,
		"list_id":       list,
		"search_id":     nil,
	})
	if err != nil {
		return err
	}
	read, err := client.Get("task", task["id"])
	if err != nil {
		return err
	}
	fmt.Println("task of size", read["size"], "cancelled", read["cancelled"])
	if err := client.Update("task", task["id"], Record{"cancelled": true}); err != nil {
		return err
	}
	if read, err = client.Get("task", task["id"]); err != nil {
		return err
	}
	fmt.Println("task cancelled", read["cancelled"])
	again, err := refused(409, client.Update("task", task["id"], Record{"cancelled": true}))
	if err != nil {
		return err
	}
	fmt.Println("cancelled again", again.Status)
	if err := client.Delete("emailMessage", message["id"]); err != nil {
		return err
	}
	fmt.Println("message deleted")
	if err := profileData(client, subscriber, field); err != nil {
		return err
	}
	if err := doNotContact(client); err != nil {
		return err
	}
	return folders(client)
}

func profileData(client *Client, subscriber, field json.Number) error {
	pair := url.Values{"subscriber_id": {subscriber.String()}, "subscriberprofilefield_id": {field.String()}}
	var stored Record
	for _, value := range []string{"red", "blue"} {
		// By its pair PUT stores the value, whether there was one or not.
		attributes := Record{"subscriber_id": subscriber, "subscriberprofilefield_id": field, "value": value}
		if err := client.Update("subscriberProfileData", nil, attributes); err != nil {
			return err
		}
		err := client.List("subscriberProfileData", pair, 200, "subscriber_id", func(row Record) error {
			stored = row
			return nil
		})
		if err != nil {
			return err
		}
		fmt.Println("profile data", stored["value"])
	}
	return client.Delete("subscriberProfileData", stored["id"])
}

func doNotContact(client *Client) error {
	filter := url.Values{"contactdata": {"gone@example.com"}}
	entry, err := client.Create("doNotContact", Record{"contactdata": "gone@example.com"})
	if err != nil {
		return err
	}
	_, err = client.Create("doNotContact", Record{"contactdata": "gone@example.com"})
	again, err := refused(409, err)
	if err != nil {
		return err
	}
	if fmt.Sprint(again.ResourceID) == fmt.Sprint(entry["id"]) {
		fmt.Println("do not contact listed already")
	}
	for _, remove := range []bool{true, false} {
		listed, err := client.Exists("doNotContact", filter)
		if err != nil {
			return err
		}
		fmt.Println("listed", listed)
		if remove {
			if err := client.Delete("doNotContact", entry["id"]); err != nil {
				return err
			}
		}
	}
	return nil
}

func folders(client *Client) error {
	const name = "Same & same"
	made := map[any]bool{}
	for len(made) < 5 {
		folder, err := client.Create("folder", Record{"name": name})
		if err != nil {
			return err
		}
		made[folder["id"]] = true
	}
	var found []any
	each := func(row Record) error {
		found = append(found, row["id"])
		return nil
	}
	if err := client.List("folder", url.Values{"name": {name}}, 2, "id", each); err != nil {
		return err
	}
	once := map[any]bool{}
	for _, id := range found {
		once[id] = made[id]
	}
	fmt.Println("folders", len(found), "each once", len(once) == len(found) && len(once) == len(made))
	for _, id := range found {
		if err := client.Delete("folder", id); err != nil {
			return err
		}
	}
	found = nil
	if err := client.List("folder", url.Values{"name": {name}}, 2, "id", each); err != nil {
		return err
	}
	fmt.Println("folders left", len(found))
	_, err := client.Create("folder", Record{"name": ""})
	fault, err := refused(400, err)
	if err != nil {
		return err
	}
	fmt.Println("fault of", fault.Faults[0].Attribute)
	return nil
}
