/** Words of languages and of their test frameworks that stand in every file and tell nothing about one. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  `abstract accessor annotation assertEquals beforeEach afterEach beforeAll afterAll callable character checked
   companion constexpr const_cast constructor continue crossinline debugger decltype default defcallback defdelegate
   defexception defguard defimpl defmacro defmodule defoverridable defprotocol defstruct delegate deprecated describe
   dynamic_cast endfunction endmodule exception explicit extension external fallthrough finalize finally foreach
   function functions getattr goto hasattr implements implicit imported instanceof interface internal isinstance
   lateinit mutating namespace namespaces nonlocal nonmutating noexcept noinline nullable nullptr operator override
   optional parameter parameters postfix precedence private property protected protocol readonly register
   reinterpret_cast required requires restrict return satisfies selector setattr signed sizeof static static_cast
   staticmethod classmethod strictfp subscript synchronized template thread_local throwable transient typealias typedef
   typename typeof undefined unowned unsigned unsafe virtual volatile writeonly moduledoc quote_plus
   Exception Interface Override Property Protected String Boolean Integer Character Promise readonlyArray`
    .split(/\s+/)
    .filter((word) => word !== ""),
);
