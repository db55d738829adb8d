// The notebooks' pages and pictures are 5 MB, and nothing imports them. This file makes the folder
// a module of its own, so that who downloads gosica doesn't download them.
module github.com/seed-47b1e431/gosica/docs/notebooks

go 1.26.5
