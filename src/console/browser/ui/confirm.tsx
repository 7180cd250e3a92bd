import { useEffect, useState } from 'preact/hooks';
import { Dialog } from './dialog.js';
import { attempt } from './notices.js';

interface Question {
  readonly title: string;
  readonly text: string;
  /** The text of the button that does it. */
  readonly action: string;
  answer(yes: boolean): void;
}

let ask: (question: Question) => void = () => {};

/** Asks before something that cannot be undone. */
export function confirm(title: string, text: string, action: string): Promise<boolean> {
  return new Promise((resolve) => ask({ title, text, action, answer: resolve }));
}

interface SureAttempt extends Omit<Question, 'answer'> {
  work(): Promise<unknown>;
  /** Told when it is done. */
  readonly done: string;
}

/** Asks, then does it, and tells that it was done or why not. Resolves to whether it was done. */
export async function attemptIfSure({ title, text, action, work, done }: SureAttempt): Promise<boolean> {
  return (await confirm(title, text, action)) && (await attempt(work, done));
}

/** The place of the question; there is one, in the shell. */
export function ConfirmDialog() {
  const [question, setQuestion] = useState<Question>();
  useEffect(() => {
    ask = setQuestion;
    return () => {
      ask = () => {};
    };
  }, []);
  if (question === undefined) return null;
  const answer = (yes: boolean): void => {
    setQuestion(undefined);
    question.answer(yes);
  };
  return (
    <Dialog
      title={question.title}
      action={question.action}
      isDangerous
      close={() => answer(false)}
      submit={() => answer(true)}
    >
      <p>{question.text}</p>
    </Dialog>
  );
}
