import type { Tool } from "./tool.ts";

/** Janus, the WebRTC server that the bench holds our delay against. */
export const janus: Tool = {
  title: "Janus",
  setting: "LONGARM_JANUS",
  programs: ["janus"],
  debianPackages: ["janus"],
  unpackedProgram: "usr/bin/janus",
  isService: true,
  args: [],
  trial: { args: ["--help"], shows: "--ice-lite" },
};
