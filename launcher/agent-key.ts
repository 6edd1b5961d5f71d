import { chmod, readFile, rename, writeFile } from "node:fs/promises";

/**
 * The key that is kept in a file, readable by its owner alone; a new one where there is none, or where the platform does not know it any
 * more (another database, or one that was restored).
 */
export async function agentKey(
  file: string,
  { isKnown, enrol }: { isKnown: (key: string) => Promise<boolean>; enrol: () => Promise<string> },
): Promise<string> {
  const kept = (await readFile(file, "utf8").catch(() => "")).trim();
  if (kept !== "" && (await isKnown(kept))) return kept;
  const key = await enrol();
  await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600 });
  await chmod(`${file}.new`, 0o600);
  await rename(`${file}.new`, file);
  return key;
}
