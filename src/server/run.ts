export async function runServer(argv: string[]): Promise<void> {
  console.log(process.pid, argv, (await import('node:v8')).getHeapStatistics().heap_size_limit / 1048576);
}
