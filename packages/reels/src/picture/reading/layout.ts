/** Where the picture keeps what machines read: pixels of a 1280 x 720 picture. No imports, so a page can use it too. */

export const PICTURE_WIDTH = 1280;
export const PICTURE_HEIGHT = 720;

/** Advances and places are even, so that each digit falls on the pixels in one way only. One line of digits, written to the left from `right`; `top` and `height` are the box of a capital digit. */
export type NumberLine = { right: number; top: number; digit: number; mark: number; height: number };

/** The three meters: digits of 18 px advance, 18 px high, points and commas of 8 px. */
export const METER_LINES: Readonly<Record<"credit" | "bet" | "win", NumberLine>> = {
  credit: { right: 526, top: 550, digit: 18, mark: 8, height: 18 },
  bet: { right: 714, top: 550, digit: 18, mark: 8, height: 18 },
  win: { right: 988, top: 550, digit: 18, mark: 8, height: 18 },
};

/** Left edges of the digits from the last to the first, for amounts of up to `count` digits: `1.234,56`. */
export function digitPlaces(line: NumberLine, count: number): number[] {
  const places: number[] = [];
  let x = line.right;
  for (let n = 0; n < count; n += 1) {
    if (n === 2 || (n > 2 && (n - 2) % 3 === 0)) x -= line.mark;
    x -= line.digit;
    places.push(x);
  }
  return places;
}

/** The time code: 24 blocks along the lower edge. */
export const TIME_CODE = { x: 160, y: 688, block: 40, height: 32, bits: 24 } as const;
