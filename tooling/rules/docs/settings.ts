/** The environment variables that a configuration schema reads: its keys in capitals. */
export function settingsOf(source: string): string[] {
  return [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]*[A-Z0-9]):/gm)].map((match) => match[1] ?? "");
}

/** A sentence for each setting that the page does not name in code font. */
export function missingSettings(settings: readonly string[], page: string): string[] {
  return settings
    .filter((name) => !page.includes(`\`${name}\``))
    .map((name) => `docs/operating/settings.md does not name ${name}`);
}
