/** A handler in a process of its own: writes its process id into the task's log, and waits forever if the text is `hold`. */
export default async function handle(text, task) {
  await task.log(`process ${process.pid}`);
  if (text === 'hold') await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  return `${text} done`;
}
