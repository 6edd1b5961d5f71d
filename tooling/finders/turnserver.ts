import type { Tool } from "./tool.ts";

/** coturn, the TURN server of the whole-system tests. */
export const turnserver: Tool = {
  title: "coturn",
  setting: "LONGARM_TURNSERVER",
  programs: ["turnserver"],
  debianPackages: ["coturn"],
  unpackedProgram: "usr/bin/turnserver",
  isService: true,
  args: [],
  trial: { args: ["-h"], shows: "Usage: turnserver" },
};
