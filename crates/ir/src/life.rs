//! Lifetimes: the location of each object that says whether it may still be used.
//!
//! Besides its cells every object has *life cells*: locations of their own, one byte each, at [`LIFE`] and behind, beyond every
//! offset that a program can reach. Each is a location like any other: freeing an object writes them and whoever uses the object reads one first, so
//! what an access can know of the end of an object is what the memory model lets it read. Programs that ask nothing about
//! lifetimes never touch life cells.

use crate::expr::Width;
use crate::program::Address;

/// The offset of the first life cell in its object, the one for plain accesses.
pub const LIFE: u64 = 1 << 38;

/// The offset of the other one, for atomic accesses. There are two, and both are written at the end, since reads of one location are in order:
/// a plain access and an atomic one to another member of the same object need not be.
pub const LIFE_OF_ATOMICS: u64 = LIFE + 8;

/// The offset of the first of the cells that hold the size of a block, in programs that ask for it: as many as the number has bytes, the
/// lowest first. They are locations of the same kind.
pub const SIZE: u64 = LIFE + 16;

/// How many of these there are.
pub const SIZE_BYTES: u64 = 8;

/// Whether this is the offset of a life cell, or of one that holds a part of the size.
pub fn is_life(offset: u64) -> bool {
    offset == LIFE || offset == LIFE_OF_ATOMICS || is_size(offset)
}

/// Whether this is the offset of a cell that holds a part of the size of its object.
pub fn is_size(offset: u64) -> bool {
    (SIZE..SIZE + SIZE_BYTES).contains(&offset)
}

/// The width of a life cell.
pub const LIFE_WIDTH: Width = Width::BYTE;

/// How long an object lives that the program makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Storage {
    /// Until it is freed.
    Heap,
    /// Until the call ends that made it, or the block in it.
    Automatic,
    /// As long as the thread.
    Thread,
}

impl Storage {
    /// What the life cell of such an object holds at first. That of an object of the program holds zero.
    pub fn life(self) -> u64 {
        match self {
            Storage::Heap => 1,
            Storage::Automatic => 2,
            Storage::Thread => 3,
        }
    }

    /// What it holds when the object may no longer be used.
    pub fn ended(self) -> u64 {
        self.life() | DEAD
    }
}

/// The bit of a life cell that says that the object may no longer be used.
pub const DEAD: u64 = 0x80;

/// The bit of a life cell that says that the object may be read and not written.
pub const CONSTANT: u64 = 0x40;

/// The word that stands for the life cell of the object that an address belongs to. Of what is no address it is none.
pub fn life_of(word: u64) -> u64 {
    word & !Address::OFFSETS | LIFE
}

/// What the reader is told that a life cell holds.
pub fn life_name(value: u64) -> &'static str {
    if value & DEAD == 0 {
        "alive"
    } else if value == Storage::Heap.ended() {
        "freed"
    } else {
        "ended"
    }
}
