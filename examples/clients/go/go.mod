module example.com/svc-client

go 1.19
