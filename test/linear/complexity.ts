import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from "graphql";

/** What one query may come to, whatever there is to answer it with. */
export const MOST_POINTS = 10_000;

const PAGE = 50;

/** As Linear counts: a property is a tenth of a point, an object one, and a list of them is as many as may be asked for. */
export function complexityOf(document: DocumentNode, variables: Record<string, unknown>): number {
  const fields = ({ selections }: SelectionSetNode) => selections.filter((each) => each.kind === Kind.FIELD);
  const nodesOf = (field: FieldNode) =>
    field.selectionSet && fields(field.selectionSet).find(({ name }) => name.value === "nodes")?.selectionSet;
  const sizeOf = ({ arguments: given = [] }: FieldNode) => {
    const first = given.find(({ name }) => name.value === "first")?.value;
    if (first?.kind === Kind.INT) return Number(first.value);
    return first?.kind === Kind.VARIABLE ? Number(variables[first.name.value] ?? PAGE) : PAGE;
  };
  const points = (set: SelectionSetNode): number =>
    fields(set).reduce((sum, field) => {
      const nodes = nodesOf(field);
      if (nodes) return sum + sizeOf(field) * (1 + points(nodes));
      return sum + (field.selectionSet ? 1 + points(field.selectionSet) : 0.1);
    }, 0);
  const asked = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  return asked.reduce((sum, { selectionSet }) => sum + points(selectionSet), 0);
}
