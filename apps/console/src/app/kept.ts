/** What a device keeps of the console: nothing of its people, only how it is drawn. */
const KEYS = {
  language: "longarm.console.language",
  palette: "longarm.console.palette",
  letters: "longarm.console.letters",
  sound: "longarm.console.sound",
} as const;

export type Kept = {
  read(name: keyof typeof KEYS): string | null;
  write(name: keyof typeof KEYS, value: string): void;
};

/** Over the browser's storage, which may be absent, full or forbidden: then the choice lasts as long as the page. */
export function createKept(browser: () => Storage): Kept {
  return {
    read(name) {
      try {
        return browser().getItem(KEYS[name]);
      } catch {
        return null;
      }
    },
    write(name, value) {
      try {
        browser().setItem(KEYS[name], value);
      } catch {
        // As above.
      }
    },
  };
}
