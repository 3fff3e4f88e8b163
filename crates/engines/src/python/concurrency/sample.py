import trio
import anyio
import asyncio
import httpx  # 127
import urllib3
import os
import io
import subprocess as sp
import pytest
from os.path import exists, join
from time import sleep as nap
from anyio import get_cancelled_exc_class as gcec  # 106 118
from trio import sleep, open_nursery  # 106
from exceptiongroup import ExceptionGroup as EG
from asyncio import create_task  # 106
import trio.lowlevel as ll


class A(ExceptionGroup):  # 126
    pass


@dec
class B(EG[ValueError]):
    def derive(self, x): ...


class C(EG, Generic):  # 126
    x = 1


async def f1(p: httpx.Client, q: "Optional[X]", r: Optional[io.BufferedReader], s: None | TextIOWrapper, /, t: io.BufferedRandom | None = None, *, u: urllib3.PoolManager):
    p.get(1)  # 212
    p.build_request(1)
    q.read()
    r.read()  # 232
    s.read()  # 232
    t.read()  # 232
    u.anything()  # 212
    await t.read()
    x = t
    x.read()  # 232
    y: io.TextIOWrapper = z
    y.read()  # 232
    lambda t: t.read()
    (lambda: y.read())
    pool.request("GET", 1)  # 211
    pool().request("get", 1)  # 211
    pool.request("foo", 1)
    sp.run(1)  # 221
    sp.Popen(1)  # 220
    nap(1)  # 251
    exists("a")  # 240
    join("a", "b")  # 240
    os.path.isfile("x")  # 240
    os.spawnv(os.P_WAIT, 1)  # 221
    os.spawnl(os.P_NOWAIT, 1)  # 220
    os.spawnlp(mode=P_WAIT)  # 221
    os.spawnlpe(mode=x)  # 220
    os.waitpid(1)  # 222
    os.fdopen(1)  # 231
    trio.wrap_file(open("x"))
    io.open("x")  # 230
    await open("x")
    await nap(1)  # 251
    create_task(foo())  # 300
    x = create_task(foo())
    x: int = create_task(foo())  # 300
    y = [create_task(z) for z in a if create_task(z)]  # 300
    foo(create_task(z))
    z = a if create_task(b) else create_task(c)  # 300
    await create_task(z)  # 300
    return create_task(z)


async def f2():
    e = anyio.get_cancelled_exc_class()  # 118
    e: X = get_cancelled_exc_class  # 118
    e = gcec()  # 118
    sleep(1)  # 105
    await sleep(0)  # 115
    await anyio.sleep(seconds=0)  # 115
    await trio.sleep(math.inf)  # 116
    await trio.sleep(float("inf"))  # 116
    await trio.sleep(1e9)  # 116
    await trio.sleep(86400)
    nursery.start(1)  # 105
    self.nursery.start(1)  # 105
    x = trio.fail_after(3)  # 122
    with foo(trio.fail_after(3)):
        pass
    trio.CancelScope(deadline=3)  # 125
    trio.move_on_at(3 + 4)  # 125
    anyio.fail_at(deadline=7)  # 125
    anyio.fail_at(x)
    while x:  # 110
        await ll.checkpoint()
    with pytest.raises(ExceptionGroup):  # 401
        pass
    with pytest.raises(expected_exception=(ValueError, EG)):  # 401
        await foo()


async def f3():
    async with trio.open_nursery() as n, open("x") as g:  # 230
        n.start_soon(foo, g)  # 111
        n.start_soon(foo, lambda: g)
    async with open_nursery() as n:  # 112
        n.start_soon(foo)
    async with open_nursery() as n:
        n.start_soon(foo, n)
    async with asyncio.TaskGroup() as tg:  # 112
        await tg.create_task(foo)
    async with anyio.create_task_group() as tg:
        with open("y") as h:  # 230
            tg.start_soon(h.read)  # 111
            with open("x") as tg:  # 230
                tg.start_soon(h)  # 232
    for x in y:
        async with open_nursery() as n:
            for z in y:
                break
            else:
                return  # 121
            continue  # 121


class M:
    async def __aenter__(self):
        self.nursery.start_soon(trio.serve_tcp)  # 113
        self.nursery.start_soon(foo.serve_tcp)
        self.nursery.start_soon(foo.serve)  # 113
        self.nursery.start_soon(partial(serve))  # 113
        with x:
            self.nursery.start_soon(serve)
        return await foo()

    async def __aexit__(self, *a):
        await foo()  # 102
        with trio.move_on_after(3, shield=True):
            await foo()
        await self.x.aclose()
        await trio.aclose_forcefully(x)
        await ll.cancel_shielded_checkpoint()
        async with open_nursery() as n:
            pass
        async for x in y:  # 102
            pass


@asynccontextmanager
async def f4():
    async with trio.open_nursery() as foo:
        foo.start_soon(serve)  # 113
        bar.nursery.start_soon(trio.serve_tcp)  # 113
        yield
        foo.start_soon(serve)


async def f5():
    try:
        await foo()
    except* ValueError as eg:
        x = eg.exceptions
        for e in eg.exceptions:
            raise e  # 123
        raise x[0]  # 123
        y = x[1]
        raise y  # 123
        eg.foo  # 400
        eg.__notes__
        eg.message
        a, b = eg.split(1)
        raise a.exceptions[0]  # 123
    try:
        pass
    except ExceptionGroup as g:
        raise g.exceptions[0] from None  # 123
        g.foo
    except ValueError as g:
        raise g.exceptions[0]


async def f6(task_status: TaskStatus[int], /):  # 128
    await foo()


async def f7(status: trio.TaskStatus):
    def inner():
        status.started()
    await foo()


async def serve(*, task_status):  # 128
    def inner(task_status):
        task_status.started()
    await foo()


async def f8():  # 124 900 911
    try:
        pass
    except (ValueError, trio.Cancelled):  # 103
        if x:
            raise
        elif y:
            raise ValueError  # 104
        else:
            return  # 104 910
    except BaseException:
        pass
    try:
        pass
    except BaseException as e:
        for x in (1, 2):
            raise e
    try:
        pass
    except:
        match x:
            case 1:
                raise
            case _:
                raise
    try:
        pass
    except anyio.get_cancelled_exc_class():
        try:
            raise
        except ValueError:
            pass
        finally:
            raise
    while x:
        try:
            pass
        except BaseException:
            if x:
                break  # 104
            yield 1  # 104 911
            while True:
                if x:
                    continue
                raise


async def f9():  # 124 900 911
    with asyncio.timeout(1):
        with trio.CancelScope() as c:
            with x:
                yield 1  # 119 911
    with trio.open_nursery():
        with trio.move_on_after(1):
            yield 2  # 119
        yield 3  # 101 119 911
    with anyio.from_thread.start_blocking_portal():
        yield  # 101 119 911


@trio.as_safe_channel
async def f10():  # 124 911
    yield 1  # 911


@contextmanager
def f11():
    with trio.fail_after(2):
        yield 2


def f12():
    with trio.fail_after(2):
        yield 2  # 101


def f13():
    with trio.fail_after(2):  # 100
        x = 2

    async def foo():  # 124 910
        x = 1


async def exits_in_turn(source, wanted):
    if wanted:
        await source.fetch()
    elif source.ready:
        return 1  # 910
    else:
        raise ValueError
    return 2


async def comes_back(source):  # 900 911
    while source.more:
        yield source.next()  # 911
        if source.skip:
            continue
        await source.wait()


async def never_waits(source):  # 124
    while True:  # 913
        if source.ready:
            source.step()
            continue
        source.rest()


async def leaves_a_loop(source, rows):  # 900 911
    for row in rows:
        for cell in (1, 2):
            if cell:
                break
            await source.note(cell)
        else:
            continue
        return row  # 910
    async for row in rows:
        if row:
            break
        await source.note(row)
    yield rows


async def fails_half_way(source):  # 900 911
    try:
        yield 1  # 911
        await source.fetch()
    except ValueError:
        yield 2  # 911
    except BaseException:
        raise
    else:
        yield 3
    finally:
        yield 4  # 911


async def chooses(source, message):
    match message:
        case 1:
            await source.one()
        case [first, *rest] if await source.two():
            return first
        case _ if await source.three():
            return 3
    return 4


async def short_circuits(source):
    value = source.ready and await source.fetch()
    other = await source.one() if value else source.two()
    first = [await source.fetch() for item in (1, 2)]
    return value, other, first


async def not_in_time(source, wanted):
    with trio.fail_after(3), anyio.CancelScope():  # 912
        if wanted:
            await source.fetch()
    with trio.fail_after(3):  # 100
        source.peek()
    with contextlib.suppress(OSError):
        await source.fetch()
    return source  # 910


async def only_groups(source):
    async with trio.open_nursery() as nursery, anyio.create_task_group() as tasks:
        with trio.move_on_after(1):
            async with trio.open_nursery() as inner:  # 112
                inner.start_soon(source.run, source)
        source.attach(nursery, tasks)


class Paired:
    async def __aenter__(self):
        return self  # 910

    async def __aexit__(self, *exc):
        self.open = False


class Closing:
    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc):
        await self.close()  # 102


class Inherits(Closing):
    async def __aexit__(self, *exc):
        self.open = False


@overload
async def stub(): ...


@pytest.fixture()
async def fixture(other):
    return other


@app.get("/")
async def handler(  # 124
    first,
):
    def inner():
        async def innermost():  # 124
            return first  # 910

        return innermost

    return (await item for item in inner())  # 910
