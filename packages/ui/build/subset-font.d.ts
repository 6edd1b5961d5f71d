declare module "subset-font" {
  /** The part of subset-font 2.9 that we use; it ships no types. */
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: {
      targetFormat: "woff2";
      variationAxes: Record<string, { min: number; max: number }>;
      noHinting: boolean;
      keepFeatures: string[];
    },
  ): Promise<Buffer>;
}
