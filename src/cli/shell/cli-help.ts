/** The text of `sorrel cli --help`. */
export const CLI_HELP = `Usage: sorrel cli [OPTIONS] [FILE] [COMMAND [ARGUMENT …]]

Sends a command to a server and prints its reply. Without a command it starts a session: at a terminal with a prompt, otherwise
with a command in every line of standard input. Options and output are those of redis-cli 7.0.

  sorrel cli get greeting                          on 127.0.0.1:6379
  sorrel cli -u redis://user:password@host:6380/2  a session with another server
  sorrel cli dump.rdb --scan                       a file, embedded: nothing is changed
  sorrel cli --write appendonlydir                 an append-only file, to change it
  sorrel cli --eval script.lua key1 key2 , a b     a script; the comma separates keys from arguments
  cat image.png | sorrel cli -x set image          the last argument from standard input
  sorrel cli --pipe < commands.resp                many commands at once

Server
  -h HOST, -p PORT, -s SOCKET   where it is (127.0.0.1, 6379)
  -u URI                        redis://user:password@host:port/database, rediss:// with TLS
  -a PASSWORD, --user NAME      who you are; the variable REDISCLI_AUTH has the password, too
  --askpass                     asks for the password
  -n DATABASE                   the database
  -2, -3                        RESP2 or RESP3
  -c                            follows the redirections of a Cluster
  --tls, --cacert FILE, --cacertdir FOLDER, --cert FILE, --key FILE, --sni HOST, --insecure,
  --tls-ciphers LIST, --tls-ciphersuites LIST

File
  FILE                          a dump (.rdb), an append-only folder or its manifest: opened in this process, for reading
  --write                       for writing: locked against other processes, saved at the end

Command
  -r N, -i SECONDS              repeats it N times (-1: forever), with a pause
  -x, -X TAG                    the last argument, or the one that is TAG, from standard input
  --quoted-input                arguments may be in quotes, with escapes: '"a\\x00b"'
  -e                            exit code 1 if the reply is an error

Output
  --raw, --no-raw               as it is, or for people; by default depends on whether it goes to a terminal
  --csv, --json, --quoted-json  for programs
  -d TEXT, -D TEXT              between the items of a raw reply, and after it
  --show-pushes yes|no          push messages of RESP3

Script
  --eval FILE KEY … , ARGUMENT …  runs it; the comma separates keys from arguments
  --ldb, --ldb-sync-mode        with --eval: debugs it, on a copy of the data or on the data itself

Instead of a command
  --scan [--pattern P] [--count N] [--type T]      all keys
  --bigkeys, --memkeys, --memkeys-samples N        the biggest keys of every type
  --hotkeys                                        the keys used most (maxmemory-policy *lfu)
  --stat, --latency, --latency-history, --latency-dist, --intrinsic-latency SECONDS, --lru-test KEYS
  --rdb FILE, --functions-rdb FILE, --replica      a dump, or what the server sends to replicas
  --pipe [--pipe-timeout SECONDS]                  standard input as it is, in RESP
  --cluster COMMAND                                manages a Cluster: create, check, info, fix, reshard, rebalance, add-node, del-node, call,
                                                   set-timeout, import, backup; --cluster help lists their options

At the prompt: Tab completes, "help COMMAND" and "help @GROUP" explain, "5 INCR x" repeats, ":set nohints", ":set nofold",
":set nocolor" change what is shown, Ctrl-C ends a command that waits. The history is in ~/.sorrelcli_history
(REDISCLI_HISTFILE), without lines that contain passwords.`;
