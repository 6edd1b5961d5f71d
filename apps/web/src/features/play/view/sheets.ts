// One file for every sheet that is fetched once the picture is there: each further file would be named in every first load.
export { AboutSheet } from "./about/about-sheet.tsx";
export { AutoplaySheet } from "./autoplay/autoplay-sheet.tsx";
export { ConnectionSheet } from "./connection/connection-sheet.tsx";
