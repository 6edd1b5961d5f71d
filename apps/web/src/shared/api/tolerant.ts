import * as z from "zod/mini";

/**
 * The same object, read so that a field of a wrong type is as good as absent, except `required` ones. For answers that the page can
 * do without: somebody else's platform must not lock its players out by the type of a field that is only shown.
 */
export function tolerantOf<Shape extends z.core.$ZodShape>(
  schema: z.ZodMiniObject<Shape>,
  ...required: (keyof Shape & string)[]
): z.ZodMiniType<z.output<z.ZodMiniObject<Shape>>> {
  const fields = Object.entries(schema.shape).map(([name, field]) =>
    required.includes(name) ? [name, field] : [name, z.catch(field as z.ZodMiniType, undefined)],
  );
  return z.object(Object.fromEntries(fields)) as unknown as z.ZodMiniType<z.output<z.ZodMiniObject<Shape>>>;
}
