mdh_ll 1
machine artificial
layers HM, COR, L1
decompose {
  HM.i:  cc_inv  2 on HM.x  reads M: HM[1, 2], v: HM[1];
  HM.k:  cc_inv  4 on HM.y  reads M: HM[1, 2], v: HM[1];
  COR.i: cc_inv  8 on COR.x reads M: HM[1, 2], v: HM[1];
  COR.k: cc_inv 16 on COR.y reads M: HM[1, 2], v: HM[1];
  L1.i:  cc_inv 32 on L1.x  reads M: HM[1, 2], v: L1[1];
  L1.k:  cc_inv 64 on L1.y  reads M: HM[1, 2], v: L1[1];
}
scalar {
  order HM.i, HM.k, COR.i, COR.k, L1.i, L1.k;
  reads M: HM[1, 2], v: L1[1];
  writes w: L1[1];
}
recompose {
  HM.i:  cc       2 on HM.x  writes w: HM[1];
  HM.k:  pw(add)  4 on HM.y  writes w: HM[1];
  COR.i: cc       8 on COR.x writes w: HM[1];
  COR.k: pw(add) 16 on COR.y writes w: HM[1];
  L1.i:  cc      32 on L1.x  writes w: L1[1];
  L1.k:  pw(add) 64 on L1.y  writes w: L1[1];
}
program matvec =
  out_view( w: f32 = [i] )
* md_hom( i: 512 by cc, k: 4096 by pw(add) ) { w = M * v; }
* inp_view( M: f32 = [i, k];
            v: f32 = [k] )
