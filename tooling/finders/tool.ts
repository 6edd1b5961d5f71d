/** A program that was found: how to start it. */
export interface FoundTool {
  /** Absolute path. */
  executablePath: string;
  /** To be added to the environment it is started with (say, where its libraries lie). */
  env: Record<string, string>;
  /** To be given to it before arguments of one's own. */
  args: string[];
}

/** What we know of a program that is not ours and may have to be fetched. */
export interface Tool {
  /** As people call it, for sentences. */
  title: string;
  /** Environment variable with the path of the program to use; it wins over everything. */
  setting: string;
  /** Names on the PATH, best first. */
  programs: readonly string[];
  /** Packages on Debian and its kin. */
  debianPackages: readonly string[];
  /** Where the program lies in those packages, from their root; `*` where a version stands. */
  unpackedProgram: string;
  /** Its package starts a server for the whole computer when it is installed: it is unpacked instead, by root too. */
  isService?: true;
  /** Its program is a script: our own Node is found in its place, with the modules of its packages in `NODE_PATH`. */
  isScript?: true;
  /** Packages that it works without. */
  leftOut?: RegExp;
  args: readonly string[];
  /** Arguments that make it show, by printing `shows` and ending, that it really works here. */
  trial: { args: readonly string[]; shows: string };
  /** Fetches it in the way of its own makers into a folder and names the program; undefined when that failed. */
  makersInstaller?: (folder: string, env: NodeJS.ProcessEnv) => Promise<string | undefined>;
  /** Does the same work where this one cannot be had. */
  otherwise?: "chromium";
}

/** What a way of finding is given. */
export interface Search {
  tool: Tool;
  /** Of the calling process. */
  env: NodeJS.ProcessEnv;
  /** Ours alone: `.cache/tools/<name>`. */
  folder: string;
  /** The computer's list of installed packages; another one only in trials of the finder itself. */
  dpkgStatus: string;
  say: (line: string) => void;
}

/** One way of getting at a tool: candidates to try, best first; none when the way is not open here. */
export type Way = (search: Search) => Promise<FoundTool[]>;
