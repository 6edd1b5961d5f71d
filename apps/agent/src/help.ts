/* The agent's help. It has a file of its own so that the command reference can read it without FFmpeg and WebRTC. */

export const AGENT_HELP = `npm run agent: start the agent, with every setting from the environment (docs/operating/settings.md).

  npm run agent -- doctor [--json]   check everything the agent needs, and end
  npm run agent -- --help            this text
`;

export const DOCTOR_HELP = `npm run agent -- doctor: check everything this agent needs, with the environment it would be started with, and say what is wrong and what to change.

  --json   print the findings as JSON
  --help   this text

Exit codes: 0 nothing is wrong, 1 something is, 2 the command line is wrong.
`;
