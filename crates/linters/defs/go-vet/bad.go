package main

import "fmt"

type item struct {
	name string
}

func main() {
	first := item{"a"}
	fmt.Printf("%d\n", first.name)
	first = first
	for {
	}
	fmt.Println("never")
}
