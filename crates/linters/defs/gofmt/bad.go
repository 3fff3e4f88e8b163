package main

import "fmt"

func main() {
fmt.Println( "hello" )
	  x:=1
	_ = x
}
