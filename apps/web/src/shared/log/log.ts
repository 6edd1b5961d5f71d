/** Writes to the browser's log: a sentence, and the error that caused it. Never a token, an address with one, or a credential. */
export type Log = (sentence: string, error?: unknown) => void;

/** The one place of the web that writes to the console. */
export const browserLog: Log = (sentence, error) => {
  if (error === undefined) console.warn(sentence);
  else console.warn(sentence, error);
};
