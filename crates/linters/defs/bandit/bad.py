import subprocess


def run(command):
    assert command
    subprocess.call(command, shell=True)
