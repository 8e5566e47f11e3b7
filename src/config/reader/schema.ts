import { given } from "../../util/given.ts";

/** JSON Schema 2020-12, as far as the keys of a configuration need it. */
export interface Schema {
  $ref?: string;
  /** What has a title is written once, and referred to. */
  title?: string;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  type?: string | string[];
  const?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  pattern?: string;
  properties?: Record<string, Schema | false>;
  propertyNames?: Schema;
  additionalProperties?: Schema | false;
  required?: string[];
  items?: Schema;
  minItems?: number;
  anyOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  if?: Schema;
  then?: Schema;
  else?: Schema;
}

const VARIABLE: Schema = {
  title: "variable",
  type: "string",
  pattern: "\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}",
};

/** Also by a variable, whose value only the reader sees. */
export function orVariable(schema: Schema): Schema {
  return { if: VARIABLE, else: schema };
}

/** One of several, told by something in it: an editor then says what is wrong with that one, and nothing of the others. */
export function told(by: Schema, then: Schema, otherwise?: Schema): Schema {
  return { if: by, then, ...(otherwise && { else: otherwise }) };
}

/** What a value may be of those that can be listed. */
export function choicesOf(schema: Schema): readonly unknown[] | undefined {
  return schema.enum ?? (schema.else && choicesOf(schema.else));
}

/** The whole of a schema as a document: what has a title is moved to `$defs`. */
export function schemaDocument({ title, ...root }: Schema): object {
  const $defs: Record<string, Schema> = {};
  const rest = mapSchemas(root, hoist);

  function hoist(schema: Schema): Schema {
    const inner = mapSchemas(schema, hoist);
    const { title: name, description, default: otherwise, examples, ...definition } = inner;
    if (name === undefined) return inner;
    $defs[name] = definition;
    return { $ref: `#/$defs/${name}`, ...given({ description, default: otherwise, examples }) };
  }

  return { $schema: "https://json-schema.org/draft/2020-12/schema", title, ...rest, $defs };
}

function mapSchemas(schema: Schema, map: (inner: Schema) => Schema): Schema {
  const mapped = { ...schema };
  if (schema.properties) {
    const properties = Object.entries(schema.properties).map(([key, inner]) => [key, inner && map(inner)]);
    mapped.properties = Object.fromEntries(properties);
  }
  if (schema.additionalProperties) mapped.additionalProperties = map(schema.additionalProperties);
  if (schema.items) mapped.items = map(schema.items);
  if (schema.anyOf) mapped.anyOf = schema.anyOf.map(map);
  if (schema.allOf) mapped.allOf = schema.allOf.map(map);
  for (const part of ["not", "if", "then", "else"] as const) {
    const inner = schema[part];
    if (inner) mapped[part] = map(inner);
  }
  return mapped;
}
