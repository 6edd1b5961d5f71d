import { dirname, join } from "node:path";
import { Advice } from "../bootstrap/advice.mjs";
import { withLock } from "../bootstrap/lock.mjs";
import { chromium, chromiumForTests } from "./chromium.ts";
import { ffmpeg } from "./ffmpeg.ts";
import { janus, whipServer } from "./janus.ts";
import { natsServer } from "./nats-server.ts";
import { pgbench } from "./pgbench.ts";
import { recall, remember } from "./remembered.ts";
import type { FoundTool, Search, Tool, Way } from "./tool.ts";
import { works } from "./trial.ts";
import { turnserver } from "./turnserver.ts";
import { installWithApt } from "./ways/apt-install.ts";
import { unpackWholeWithApt, unpackWithApt } from "./ways/apt-unpack.ts";
import { runMakersInstaller } from "./ways/makers-installer.ts";
import { lookOnPath } from "./ways/on-path.ts";

/** A program that its Debian package of the same name has. */
const fromDebian = (title: string, setting: string, program: string, trial: Tool["trial"]): Tool => ({
  ...{ title, setting, trial, programs: [program], debianPackages: [program] },
  ...{ unpackedProgram: `usr/bin/${program}`, args: [] },
});

/** Every program of others that a test or a measurement needs. A new one is an entry here. */
const tools = {
  chromium,
  "chromium-for-tests": chromiumForTests,
  turnserver,
  "nats-server": natsServer,
  pgbench,
  janus,
  "whip-server": whipServer,
  ffmpeg,
  curl: fromDebian("curl", "LONGARM_CURL", "curl", { args: ["--version"], shows: "Protocols: " }),
  openssl: fromDebian("OpenSSL", "LONGARM_OPENSSL", "openssl", { args: ["version"], shows: "OpenSSL " }),
} satisfies Record<string, Tool>;
export type ToolName = keyof typeof tools;

export interface FindOptions {
  env?: NodeJS.ProcessEnv;
  /** Where fetched tools and results are kept, one folder per tool. Default `.cache/tools`. */
  cacheFolder?: string;
  /** List of installed packages that apt reads. Default: the computer's. */
  dpkgStatus?: string;
  /** Told what is going on when it takes long. */
  say?: (line: string) => void;
}

const fetching: readonly Way[] = [installWithApt, unpackWithApt, unpackWholeWithApt, runMakersInstaller];

/**
 * A working program: the one its setting names, a remembered one, one on the PATH, or one that is fetched now (with
 * apt as root, unpacked from Debian's packages otherwise, else by its makers' installer). Safe to call from many
 * processes at once. Throws Advice, one sentence that says what to do, when all that failed.
 */
export async function findTool(name: ToolName, options: FindOptions = {}): Promise<FoundTool> {
  const tool = tools[name];
  const search: Search = {
    tool,
    env: options.env ?? process.env,
    folder: join(options.cacheFolder ?? join(import.meta.dirname, "../../.cache/tools"), name),
    dpkgStatus: options.dpkgStatus ?? "/var/lib/dpkg/status",
    say: options.say ?? ((line) => process.stderr.write(`${line}\n`)),
  };
  const chosen = search.env[tool.setting];
  if (chosen !== undefined && chosen !== "") return await chosenTool(search, chosen);
  return recall(search.folder) ?? (await tryWay(lookOnPath, search)) ?? (await fetchTool(search));
}

/** The whole browser, as players have it; see `chromium` for its arguments. For measurements. */
export const findChromium = (options?: FindOptions): Promise<FoundTool> => findTool("chromium", options);

/** The browser of tests, which draws and plays all the same. `LONGARM_CHROMIUM` names both. */
export const findChromiumForTests = (options?: FindOptions): Promise<FoundTool> =>
  findTool("chromium-for-tests", options);

async function chosenTool({ tool, env }: Search, executablePath: string): Promise<FoundTool> {
  const found = { executablePath, env: {}, args: [...tool.args] };
  if (await works(tool, found, env)) return found;
  throw new Advice(
    `${tool.setting} names ${executablePath}, which does not work as ${tool.title}: correct or remove that setting.`,
  );
}

async function fetchTool(search: Search): Promise<FoundTool> {
  const { tool, say, folder } = search;
  const onWait = (holder: string): void => say(`${tool.title} is being fetched by ${holder}; waiting for it.`);
  return await withLock(`${folder}.lock`, { onWait }, async () => {
    const meanwhile = recall(folder);
    if (meanwhile !== undefined) return meanwhile;
    for (const way of fetching) {
      const found = await tryWay(way, search);
      if (found !== undefined) return found;
    }
    if (tool.otherwise !== undefined) {
      const instead = await findTool(tool.otherwise, { ...search, cacheFolder: dirname(folder) });
      remember(folder, instead);
      return instead;
    }
    throw new Advice(
      `${tool.title} is needed and could not be fetched: install it (on Debian: apt-get install ${tool.debianPackages.join(" ")}) or name it in ${tool.setting}, and run the command again.`,
    );
  });
}

async function tryWay(way: Way, search: Search): Promise<FoundTool | undefined> {
  for (const found of await way(search)) {
    if (await works(search.tool, found, search.env)) {
      remember(search.folder, found);
      return found;
    }
  }
  return undefined;
}
