// The notebooks are 5 MB, and nothing imports them. This file makes the folder a module of its
// own, so that who downloads gosica doesn't download them. Nothing is built here: cells are
// compiled elsewhere, with their own go.mod (scripts/lab).
module github.com/seed-47b1e431/gosica/notebooks

go 1.26.5
