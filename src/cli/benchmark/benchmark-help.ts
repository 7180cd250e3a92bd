/** The text of `sorrel benchmark --help`. */
export const BENCHMARK_HELP = `Usage: sorrel benchmark [OPTIONS] [COMMAND [ARGUMENT …]]

Measures how many requests a server answers and how long they take. The tests, options and words are those of redis-benchmark.

  sorrel benchmark -q                                  all tests, a line each
  sorrel benchmark -t set,get -n 1000000 -P 16 -r 100000
  sorrel benchmark -r 10000 lpush mylist __rand_int__  a command of your own
  sorrel benchmark -p 7000 --against 127.0.0.1:6379    two servers in alternating rounds: the ratio of their rates
  sorrel benchmark --cluster -p 7000 -q                all masters of the cluster that this node belongs to
  sorrel benchmark --embedded -q                       the engine inside this process, without a server

Server
  -h HOST, -p PORT, -s SOCKET, -u URI, -a PASSWORD, --user NAME, --dbnum DATABASE, -3
  --tls, --cacert FILE, --cacertdir FOLDER, --cert FILE, --key FILE, --sni HOST, --insecure

Load
  -c N              connections (50)
  -n N              requests (100000)
  -P N              requests sent together (1)
  -d BYTES          size of values (3), which replace __data__ in a command
  -r N              random numbers from 0 to N - 1 replace __rand_int__; without it all requests use the same key
  -k 0|1            1 keeps connections, 0 makes a new one for each batch (1)
  -t NAMES          only these tests: set,get,lrange …
  --threads N       load from N threads
  -x                the command's last argument from standard input
  -l                repeats the tests until Ctrl-C
  -I                only opens connections, until Ctrl-C
  --enable-tracking switches tracking of keys on first
  --cluster         all masters of a cluster; {tag} in keys of a command is replaced by tags of each node's slots
  --against HOST:PORT, --rounds N   compares with a second server (5 rounds)

Output
  -q, --csv, --json one line per test, or for programs
  --precision N     decimal places of latencies (3)

Ctrl-C ends the running test and prints what was measured. An error reply ends the benchmark with exit code 1.`;
