// Keeps a copy of all plants in a file, in which every id is exact: go run follow.go <file>
package main

import (
	"encoding/json"
	"errors"
	"log"
	"math"
	"math/rand"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"time"
)

const cursorExpired = 40011

// The service waits 25 s for a change. A reply may take longer, and only then has the connection failed.
var client = http.Client{Timeout: 35 * time.Second}

var baseURL = "http://127.0.0.1:3000"

// Copy has the plants as the service wrote them, by their ids, and the cursor that belongs to them.
type Copy struct {
	Next   string                    `json:"next"`
	Plants map[int64]json.RawMessage `json:"plants"`
}

// Reply is a page, or an error.
type Reply struct {
	Changes []struct {
		Kind  string
		ID    int64
		Plant json.RawMessage
	}
	Next, Message string
	Error         int
}

// get returns a page, or an error that no retry changes.
func get(after string) Reply {
	for backoff := 0.5; ; backoff = math.Min(30, 2*backoff) {
		var reply Reply
		delay := rand.Float64() * backoff
		request, err := http.NewRequest("GET", baseURL+"/changes?limit=1000&wait=25&after="+after, nil)
		check(err)
		request.Header.Set("Authorization", "Bearer "+os.Getenv("PLANT_STORE_TOKEN"))
		response, err := client.Do(request)
		if err == nil {
			if status := response.StatusCode; status == 408 || status == 425 || status == 429 || status >= 500 {
				err = errors.New(response.Status)
				if seconds, notNumber := strconv.Atoi(response.Header.Get("Retry-After")); notNumber == nil {
					delay = float64(seconds)
				}
			} else if err = json.NewDecoder(response.Body).Decode(&reply); err == nil {
				response.Body.Close()
				return reply
			}
			response.Body.Close()
		}
		log.Printf("Trying again in %.1f s: %v", delay, err)
		time.Sleep(time.Duration(delay * float64(time.Second)))
	}
}

// save replaces the file at once: it always has a copy and the cursor that belongs to it.
func save(file string, all Copy) {
	out, err := os.Create(file + ".new")
	check(err)
	check(json.NewEncoder(out).Encode(all))
	check(out.Sync())
	check(out.Close())
	check(os.Rename(file+".new", file))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("Usage: go run follow.go <file>")
	}
	// The characters of RFC 6750, section 2.1.
	if !regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`).MatchString(os.Getenv("PLANT_STORE_TOKEN")) {
		log.Fatal("PLANT_STORE_TOKEN is not an access token.")
	}
	if url := os.Getenv("PLANT_STORE_URL"); url != "" {
		baseURL = url
	}
	rand.Seed(time.Now().UnixNano())
	file, all := os.Args[1], Copy{"0", map[int64]json.RawMessage{}}
	if text, err := os.ReadFile(file); !os.IsNotExist(err) {
		check(err)
		check(json.Unmarshal(text, &all))
	}
	for {
		page := get(all.Next)
		if page.Error == cursorExpired {
			log.Print("A backup was restored: reading everything again.")
			all = Copy{"0", map[int64]json.RawMessage{}}
			continue
		} else if page.Error != 0 {
			log.Fatalf("%s (error %d)", page.Message, page.Error)
		}
		for _, change := range page.Changes {
			if all.Plants[change.ID] = change.Plant; change.Kind == "deleted" {
				delete(all.Plants, change.ID)
			}
		}
		if page.Next != all.Next {
			all.Next = page.Next
			save(file, all)
		}
	}
}
