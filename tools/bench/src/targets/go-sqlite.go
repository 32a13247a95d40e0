// A server in Go with group commit: creates that arrive during a transaction share the next one.
package main

import (
	"database/sql"
	"encoding/json"
	"log"
	"net/http"
	"os"

	_ "github.com/mattn/go-sqlite3"
)

// The maximum number of creates in one transaction.
const maxBatch = 1000

type newPlant struct {
	ID   *int64  `json:"id,omitempty"`
	Name *string `json:"name"`
	Tag  *string `json:"tag,omitempty"`
}

// A create that waits for its commit.
type create struct {
	plant newPlant
	done  chan error
}

func main() {
	databaseUrl, token, port := os.Args[1], os.Args[2], os.Args[3]
	// As durable as the service. Only the writer uses the one connection.
	database, err := sql.Open("sqlite3", databaseUrl+"?_journal_mode=WAL&_synchronous=FULL")
	check(err)
	database.SetMaxOpenConns(1)
	_, err = database.Exec(`PRAGMA fullfsync = ON;
		CREATE TABLE IF NOT EXISTS plants (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT`)
	check(err)
	insert, err := database.Prepare("INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)")
	check(err)
	creates := make(chan create, maxBatch)
	go writeBatches(database, insert, creates)
	http.HandleFunc("/plants", handleCreate("Bearer "+token, creates))
	check(http.ListenAndServe("127.0.0.1:"+port, nil))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Checks the token and the plant, and replies once the plant is committed.
func handleCreate(authorization string, creates chan<- create) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		var plant newPlant
		if request.Header.Get("Authorization") != authorization {
			reply(response, http.StatusUnauthorized, plant)
			return
		}
		err := json.NewDecoder(http.MaxBytesReader(response, request.Body, 1<<20)).Decode(&plant)
		if err != nil || plant.ID == nil || plant.Name == nil {
			reply(response, http.StatusBadRequest, plant)
			return
		}
		done := make(chan error, 1)
		creates <- create{plant, done}
		if err := <-done; err != nil {
			log.Print(err)
			reply(response, http.StatusInternalServerError, plant)
			return
		}
		plant.ID = nil
		reply(response, http.StatusOK, plant)
	}
}

func reply(response http.ResponseWriter, status int, body any) {
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(status)
	json.NewEncoder(response).Encode(body)
}

// Commits the waiting creates, one transaction after another, and answers each. A create that fails does not affect the others.
func writeBatches(database *sql.DB, insert *sql.Stmt, creates <-chan create) {
	for first := range creates {
		batch := []create{first}
		for waiting := len(creates); waiting > 0 && len(batch) < maxBatch; waiting-- {
			batch = append(batch, <-creates)
		}
		results := make([]error, len(batch))
		transaction, err := database.Begin()
		check(err)
		statement := transaction.Stmt(insert)
		for index, each := range batch {
			_, results[index] = statement.Exec(*each.plant.ID, *each.plant.Name, each.plant.Tag)
		}
		check(transaction.Commit())
		for index, each := range batch {
			each.done <- results[index]
		}
	}
}
