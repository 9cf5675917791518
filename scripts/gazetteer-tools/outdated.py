"""What is outdated in the data of GeoNames."""

# Divisions whose name in the older package is that of another one today. They were carved out of it,
# replaced it, or exchanged codes with it, and kept most of its places in that package, so votes cannot
# find it. They get no name. DivisionNameTests compares with GeoNames.
CODES = {
    tuple(code.split(".")) for code in """
AO.CBG BD.H BH.19 BI.26 BW.12 BW.13 BW.14 BW.16 BW.17 BZ.05
CD.13 CD.14 CD.15 CD.16 CD.17 CD.18 CD.19 CD.20 CD.21 CD.22 CD.24 CD.25 CD.26 CD.27 CD.28 CD.29
CD.30 CD.31 CF.19 CF.20 CF.21 CI.93 CL.18 DZ.MG DZ.OD DZ.TG DZ.TM ET.55 ET.56 ET.SI ET.SW
GH.13 GH.14 GH.17 GH.18 GL.11839534 GL.11839537 ID.PD ID.PE ID.PS ID.PT IL.WE IN.41 KG.01 KP.14
KP.19 KZ.10 KZ.12510144 KZ.12510145 KZ.1537272 LU.CA LU.CL LU.EC LU.ES LU.ME LU.RM LU.VD LU.WI
LV.12 LV.24 LV.AN MA.07 MA.10 MD.58 MD.72 MD.90 MD.91 MG.26 MG.27 ML.12070575 ML.12070577 MM.18
MT.58 MT.59 MV.10346475 MV.38 NP.1 NP.3 NP.4 NP.6 OM.02 OM.04 OM.11 OM.12 PA.13 QA.14 SB.14 SI.P9
SL.05 TD.21 TM.S TZ.32 VN.37
""".split()
}

# Places by GeoNames' identifiers that have the time zone of a neighbouring district, or the one before
# their own was founded.
ZONES = {
    int(identifier): zone for zone, identifiers in {
        # Yakutia's districts of Tomponsky and Ust-Maysky.
        "Asia/Khandyga": "2013918 2016305 2022773 2024626 6930488",
        # That of Oymyakonsky.
        "Asia/Ust-Nera": "2120048",
        # Municipalities that Mexico's law of time zones of 2022 gives the summer time of the United
        # States: those of Tamaulipas and Coahuila, and of Chihuahua around Juárez and around Ojinaga.
        "America/Matamoros": """
3483310 3483393 3514868 3514886 3520271 3522525 3522617 3523222 3524051 3530383 3530590 3530602
3527116 3979706 3980122 3980123 3987473 3988628 3994534 3995050 3995395 3998238
4003937 4005111 4018761 8858271
""",
        "America/Ciudad_Juarez": "3986685 3988043 3998364",
        "America/Ojinaga": "3996682 4012672",
    }.items() for identifier in identifiers.split()
}
