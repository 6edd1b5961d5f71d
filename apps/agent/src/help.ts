/* The agent's help. It has a file of its own so that the command reference can read it without FFmpeg and WebRTC. */

export const AGENT_HELP = `npm run agent: start the agent, with every setting from the environment (docs/operating/settings.md).

  npm run agent -- doctor [--json]             check everything the agent needs, and end
  npm run agent -- doctor --machine <id>       commission one machine, and write a report to sign
  npm run agent -- machine-log <id>            print what this machine and its driver said to each other, in words
  npm run agent -- --help                      this text
`;

export const DOCTOR_HELP = `npm run agent -- doctor: check everything this agent needs, with the environment it would be started with, and say what is wrong and what to change.

  --json            print the findings, or the report, as JSON
  --machine <id>    walk one machine through its steps instead: line, identity, meters, transfers, disable and enable, each button, picture, delay from button to light.
                    It plays a few games of the credit that is on the machine. Stop the agent first.
  --look            with --machine: only look; nothing at the machine changes, and what it has to report stays in it
  --only <ids>      with --machine: only these steps, such as registration,button:spin, and what they build on
  --polls <n>       with --machine: polls that measure the errors of its line (250)
  --blink <mark>    with --machine: only measure how late its camera's picture is, by a light that blinks before the camera, and store it for the agent: page
                    (this computer serves a page to open on any screen), or the file of an LED such as /sys/class/leds/led0/brightness
  --by <name>       with --machine: who signs the report
  --report <folder> with --machine: where the report is written, as JSON and as a page to print (commissioning in the data folder)
  --help            this text

Exit codes: 0 nothing is wrong, 1 something is, 2 the command line is wrong.
`;
