"""Runs the HTTP server of llama.cpp on a free port of the loopback interface, prints its address, and ends with its standard input."""

import sys

import xllamacpp

model, key = sys.argv[1:3]
parameters = xllamacpp.CommonParams()
parameters.model.path = model
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
parameters.api_keys = [key]
parameters.use_jinja = True
parameters.warmup = False
parameters.cpuparams.n_threads = 1
parameters.n_parallel = 4
parameters.n_ctx = 4 * 4096
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
