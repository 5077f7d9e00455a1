"""Where a mutant can be made, and how it takes the place of the original in a running process."""

import ast
import functools
import gc
import types
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
MOVED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
FILTERS = {"filter", "exclude", "visible_to"}


class Mutant(NamedTuple):
    """A change of one function. nth: among its places of that kind, so that edits anywhere else do not matter."""

    path: str
    function: str
    kind: str
    nth: int

    def __str__(self) -> str:
        return " ".join(map(str, self))

    @property
    def folder(self) -> str:
        return "/".join(Path(self.path).parent.parts[:2])


def changes(node: Any) -> Iterator[tuple[str, ast.expr | ast.stmt, ast.AST]]:
    """Each mutation of a node: its kind, the part whose lines must be covered, and what stands there instead.

    What is dropped stays, out of reach: a nested function that named fewer of the variables around it could not take
    the place of the original.
    """
    match node:
        case ast.If() | ast.While() | ast.IfExp():
            turned = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
            yield "negate", node.test, type(node)(**{**dict(ast.iter_fields(node)), "test": turned})
        case ast.comprehension(ifs=[condition, *_]):
            yield "negate", condition, ast.comprehension(node.target, node.iter, [], node.is_async)
        case ast.Compare(ops=[op]) if type(op) in MOVED:
            yield "bound", node, ast.Compare(node.left, [MOVED[type(op)]()], node.comparators)
        case ast.Return(value=value) if value and not (isinstance(value, ast.Constant) and not value.value):
            yield "none", node, ast.Return(ast.BoolOp(ast.And(), [ast.Constant(None), value]))
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Delete() | ast.Raise():
            yield "drop", node, ast.If(ast.Constant(0), [node], [])
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "drop", node, ast.If(ast.Constant(0), [node], [])
        case ast.Call(func=ast.Attribute(attr=name) as method) if name in FILTERS:
            for dropped in (*node.args, *node.keywords):
                args = [each for each in node.args if each is not dropped]
                keywords = [each for each in node.keywords if each is not dropped]
                called = ast.Attribute(method.value, name if args or keywords else "all", ast.Load())
                yield "filter", node, ast.Call(ast.copy_location(called, method), args, keywords)


class Mutator(ast.NodeTransformer):
    """Notes each place of a function where a mutant can be made, and makes the one that is wanted."""

    def __init__(self, wanted: tuple[str, int] | None = None) -> None:
        self.wanted, self.is_inside, self.is_made = wanted, False, False
        self.places: list[tuple[str, int, range]] = []
        self.counts: Counter[str] = Counter()

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if self.is_inside:
                return node  # it has mutants of its own
            self.is_inside = True
        changed = self.generic_visit(node)
        for kind, part, other in changes(node):
            place = (kind, self.counts[kind])
            self.counts[kind] += 1
            self.places.append((*place, range(part.lineno, (part.end_lineno or part.lineno) + 1)))
            if self.wanted == place:
                changed, self.is_made = ast.copy_location(other, node), True
        return changed


def functions(tree: ast.AST, within: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Every function of a module by its qualified name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield within + node.name, node
            yield from functions(node, f"{within}{node.name}.<locals>.")
        else:
            yield from functions(node, f"{within}{node.name}." if isinstance(node, ast.ClassDef) else within)


def possible(path: str) -> Iterator[tuple[Mutant, range]]:
    """All mutants of a module, each with its lines."""
    for name, function in functions(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        mutator = Mutator()
        mutator.visit(function)
        for kind, nth, lines in mutator.places:
            yield Mutant(path, name, kind, nth), lines


def replace(mutant: Mutant) -> bool:
    """Give every loaded function of that name the mutant's code. False if there is none: its file was changed."""
    file = str(ROOT / mutant.path)
    import_module(mutant.path.removesuffix(".py").replace("/", "."))  # commands are loaded when they are called
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    mutator = Mutator((mutant.kind, mutant.nth))
    for name, function in functions(tree):
        if name == mutant.function:
            mutator.visit(function)
    codes = dict(_codes(compile(ast.fix_missing_locations(tree), file, "exec"))) if mutator.is_made else {}
    gc.unfreeze()
    replaced = False
    for one in gc.get_objects():  # by type(): isinstance would evaluate lazy objects, some of which raise
        if type(one) is functools._lru_cache_wrapper and (ROOT / one.__module__.split(".")[0]).is_dir():
            one.cache_clear()
        elif type(one) is types.FunctionType and one.__code__.co_filename == file:
            new = codes.get(one.__code__.co_qualname)
            if new and new.co_freevars == one.__code__.co_freevars:
                replaced |= new != one.__code__
                one.__code__ = new
    return replaced


def _codes(code: types.CodeType) -> Iterator[tuple[str, types.CodeType]]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant.co_qualname, constant
            yield from _codes(constant)
