/** Who the sample pages are about. Names stand as they are in every language. */
export const SAMPLE_PERSON = { name: "Selin Korkmaz", email: "selin.korkmaz@longarm.example" } as const;
