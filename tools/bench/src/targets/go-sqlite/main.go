// A server in Go that commits many plants at once: the creates that wait while one transaction is written go into the next.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	_ "github.com/mattn/go-sqlite3"
)

// The most creates of one transaction.
const maxBatch = 1000

type plant struct {
	Name string  `json:"name"`
	Tag  *string `json:"tag,omitempty"`
}

type newPlant struct {
	ID   *int64  `json:"id"`
	Name *string `json:"name"`
	Tag  *string `json:"tag"`
}

// A create that waits for its commit.
type create struct {
	plant newPlant
	done  chan error
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("Usage: DATABASE_URL TOKEN")
	}
	database, err := openDatabase(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	insert, err := database.Prepare("INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)")
	if err != nil {
		log.Fatal(err)
	}
	creates := make(chan create, maxBatch)
	written := make(chan struct{})
	go func() {
		writeBatches(database, insert, creates)
		close(written)
	}()

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/plants", handleCreate("Bearer "+os.Args[2], creates))
	server := &http.Server{Handler: mux}
	stopped := make(chan struct{})
	go func() {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		<-signals
		// Returns after the requests in flight.
		server.Shutdown(context.Background())
		close(stopped)
	}()
	fmt.Printf("{\"baseUrl\":\"http://%s\"}\n", listener.Addr())
	if err := server.Serve(listener); err != http.ErrServerClosed {
		log.Fatal(err)
	}
	<-stopped
	close(creates)
	<-written
	insert.Close()
	database.Close()
}

// Opens a SQLite file as durable as the service does, with one connection, which only the writer uses.
func openDatabase(url string) (*sql.DB, error) {
	database, err := sql.Open("sqlite3", url+"?_journal_mode=WAL&_synchronous=FULL")
	if err != nil {
		return nil, err
	}
	database.SetMaxOpenConns(1)
	_, err = database.Exec(`PRAGMA fullfsync = ON;
		CREATE TABLE IF NOT EXISTS plants (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT`)
	return database, err
}

// Checks the token and the plant, and replies once the plant is committed.
func handleCreate(authorization string, creates chan<- create) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		if request.Header.Get("Authorization") != authorization {
			reply(response, http.StatusUnauthorized, map[string]string{"message": "Unauthorized"})
			return
		}
		if request.Method != http.MethodPost {
			reply(response, http.StatusMethodNotAllowed, map[string]string{"message": "Method Not Allowed"})
			return
		}
		var body newPlant
		err := json.NewDecoder(http.MaxBytesReader(response, request.Body, 1<<20)).Decode(&body)
		if err != nil || body.ID == nil || body.Name == nil {
			reply(response, http.StatusBadRequest, map[string]string{"message": "Bad Request"})
			return
		}
		done := make(chan error, 1)
		creates <- create{body, done}
		if err := <-done; err != nil {
			log.Print(err)
			status := http.StatusInternalServerError
			if strings.Contains(err.Error(), "UNIQUE constraint") {
				status = http.StatusConflict
			}
			reply(response, status, map[string]string{"message": http.StatusText(status)})
			return
		}
		reply(response, http.StatusOK, plant{*body.Name, body.Tag})
	}
}

func reply(response http.ResponseWriter, status int, body any) {
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(status)
	json.NewEncoder(response).Encode(body)
}

// Commits what waits, one transaction after another, until the channel is closed.
func writeBatches(database *sql.DB, insert *sql.Stmt, creates <-chan create) {
	for first := range creates {
		batch := []create{first}
	collect:
		for len(batch) < maxBatch {
			select {
			case next, open := <-creates:
				if !open {
					break collect
				}
				batch = append(batch, next)
			default:
				break collect
			}
		}
		writeBatch(database, insert, batch)
	}
}

// Commits a batch, then answers each create; one that fails does not affect the others.
func writeBatch(database *sql.DB, insert *sql.Stmt, batch []create) {
	results := make([]error, len(batch))
	transaction, err := database.Begin()
	if err == nil {
		statement := transaction.Stmt(insert)
		for index, each := range batch {
			_, results[index] = statement.Exec(*each.plant.ID, *each.plant.Name, each.plant.Tag)
		}
		err = transaction.Commit()
	}
	for index, each := range batch {
		if err != nil {
			each.done <- err
		} else {
			each.done <- results[index]
		}
	}
}
