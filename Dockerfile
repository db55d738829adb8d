# JupyterLab with the notebooks, the Go kernel GoNB and XLA's CPU plugin:
#
#	docker build -t gosica .
#	docker run --rm -p 127.0.0.1:8888:8888 gosica
#
# prints the address to open, with its token. What it does are the steps of
# ./scripts/lab on a machine with nothing but Go, Python and a C compiler: the plugin,
# checked by its SHA-256, JupyterLab and the kernel all come into .setup of the checkout.
# The first cell of a notebook compiles the packages, which takes a minute or two.
FROM golang:1.26-bookworm

RUN apt-get update \
	&& apt-get install -y --no-install-recommends python3 python3-venv python3-pip \
	&& rm -rf /var/lib/apt/lists/* \
	&& useradd --create-home lab \
	&& install --directory --owner=lab --group=lab /home/lab/gosica
USER lab
WORKDIR /home/lab/gosica
COPY --chown=lab . .

# go.mod may ask for a later patch release than the image has: Go then fetches it.
ENV GOTOOLCHAIN=auto GOPATH=/home/lab/go
# With an option that only prints, scripts/lab sets up and ends.
RUN scripts/lab --version

EXPOSE 8888
ENTRYPOINT ["scripts/lab", "--ip=0.0.0.0", "--port=8888", "--no-browser"]
