// Covers: comments in every place, nested block comments, doc comments of all four kinds, doc comment at the end of a struct, brackets inside comments. Source: verusfmt#146 (verus! in comments), dalek-lite#697/#664 (brackets and block comments), verus_syn: verus#2098 (doc comment at struct end).
/*! inner block doc */
//! inner line doc
/* a /* nested /* deep */ comment */ with ) } ] */
/**/
/***/
/*** not doc ***/
//// not doc either
/// outer line doc with `assume(false)` and verus! { in it
/** outer block
  * doc */
pub /* vis */ struct /* kw */ S /* name */ < /* lt */ 'a /* life */ , /* comma */ T /* ty */ > /* gt */ ( /* open */ pub /* v */ &'a T /* close */ ) /* after */ ; // end
// verus! { fn f() { assume(false); } }
/* verus! { } */
fn /* a */ f /* b */ ( /* c */ x /* d */ : /* e */ u8 /* f */ , /* g */ ) /* h */ -> /* i */ u8 /* j */ { /* k */
    // lone
    let /* l */ y /* m */ = /* n */ x /* o */ + /* p */ 1 /* q */ ; // r )
    /* s */ y /* t */
    // trailing {
} // after the body

// verus_keep_ghost }
verus! { // first line
// assume(false);
/* admit() */
proof fn p() /* before clauses */
    requires // after keyword
        // own line
        a /* x */ , // after comma
        /* before */ b
        // last line before ensures
    ensures
        /* only */ c /* here */
    // before the body
{ // in the body
    /* before */ assert /* between */ ( /* in */ true /* out */ ) /* after */ by /* by */ { /* block */ } // end
    // last
}
// end of verus
} // verus!
// a comment without a newline at the end of the file: */ /* }