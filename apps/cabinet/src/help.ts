/* The cabinet's help. It has a file of its own so that the command reference can read it without FFmpeg. */

export const CABINET_HELP = `npm run cabinet: a simulated slot machine that speaks SAS 6.02, for trials of drivers. docs/hardware.md describes its ports.

  npm run cabinet                       start it and print its ports; Ctrl+C ends it
  npm run cabinet -- --data FOLDER      keep its memory in this folder (./data/cabinet)
  npm run cabinet -- --host 127.0.0.1   listen on this address of this computer; SAS and Modbus have no passwords
  npm run cabinet -- --sas 7601         port of the framed nine-bit SAS line; 0 takes a free one
  npm run cabinet -- --pty              the SAS line on a pseudo terminal instead, and print its path
  npm run cabinet -- --buttons 7602     port of the Modbus TCP relay board
  npm run cabinet -- --control 7603     port of the control (HTTP and JSON)
  npm run cabinet -- --screen 7604      port of the screen as an RTSP camera; none: no screen
  npm run cabinet -- --address 1        SAS address, 0 to 127; 0 is deaf
  npm run cabinet -- --asset 1001       asset number
  npm run cabinet -- --denomination 10  worth of a credit in hundredths: 1, 5, 10, 25, 50, 100, 500, 1000, 2000
  npm run cabinet -- --brand nar        game and look: nar, kuzey, pera, mercan
  npm run cabinet -- --seed TEXT        makes the games and the damage of the line: the same text, the same games
  npm run cabinet -- --cycle 2500       least time from game to game, ms
  npm run cabinet -- --history 127      transfers that it remembers, 1 to 127
  npm run cabinet -- --lacks 6f,a0      long polls that its firmware does not know
  npm run cabinet -- --parity           take the ninth bit for parity, as the hosts of some vendors send it
  npm run cabinet -- --gap 5            quiet within a message that makes the machine drop it, ms
  npm run cabinet -- --time-code        draw the time into the screen, for measurements
  npm run cabinet -- --help             this text
`;
