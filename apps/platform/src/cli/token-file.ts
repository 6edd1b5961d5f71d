import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import type { CommandDeps } from "./command.ts";
import { CommandRefused } from "./command.ts";

/* The command line's sign-in, in a file that only its user may read. */

const Kept = z.strictObject({
  username: z.string().check(z.minLength(1), z.maxLength(40)),
  token: z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/)),
});
type Kept = z.output<typeof Kept>;

type FileDeps = Pick<CommandDeps, "configFolder" | "environment" | "random">;

const BYTES_MAX = 4_096;
/** What group and others may do with a file. */
const OTHERS = 0o077;

/** Behind `sudo` several people share one system user: each has a file. */
function pathOf({ configFolder, environment }: FileDeps): { readonly folder: string; readonly file: string } {
  const behind = environment["SUDO_UID"];
  const name = behind !== undefined && /^\d{1,10}$/.test(behind) ? `sign-in-${behind}.json` : "sign-in.json";
  const folder = join(configFolder, "longarm");
  return { folder, file: join(folder, name) };
}

/** The kept sign-in; undefined: there is none. @throws CommandRefused: others may read it, or it is none of ours. */
export async function readToken(deps: FileDeps): Promise<Kept | undefined> {
  const { file } = pathOf(deps);
  const handle = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    const stat = await handle.stat();
    if ((stat.mode & OTHERS) !== 0)
      throw new CommandRefused(`Others may read ${file}: remove it, and run longarm sign-in again.`);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BYTES_MAX), 0, BYTES_MAX, 0);
    const kept = stat.isFile() && bytesRead < BYTES_MAX ? parsed(buffer.toString("utf8", 0, bytesRead)) : undefined;
    if (kept === undefined)
      throw new CommandRefused(`${file} holds no sign-in: remove it, and run longarm sign-in again.`);
    return kept;
  } finally {
    await handle.close();
  }
}

function parsed(text: string): Kept | undefined {
  try {
    return z.safeParse(Kept, JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const NAME_BYTES = 8;

/** Keeps a sign-in in place of the one that was there, whole or not at all. */
export async function writeToken(deps: FileDeps, kept: Kept): Promise<void> {
  const { folder, file } = pathOf(deps);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${deps.random.bytes(NAME_BYTES).toString("hex")}`;
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(kept)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

/** Forgets the kept sign-in, also one that cannot be read. */
export async function removeToken(deps: FileDeps): Promise<void> {
  await rm(pathOf(deps).file, { force: true });
}
