/** JSON on one line that any terminal may show: what could steer it is written as `\u….` */
export function jsonLine(value: object): string {
  return JSON.stringify(value).replaceAll(/[^\P{C}]/gu, (sign) =>
    [...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}
