#!/bin/bash
name=$1
echo $name
unused=1
