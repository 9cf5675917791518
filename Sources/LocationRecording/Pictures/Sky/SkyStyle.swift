/// The style sheet of a picture of the sky, for light and dark screens.
///
/// The colors are those of M. Okabe and K. Ito, "Color Universal Design" (2008), darker on a light
/// background. Shapes distinguish the constellations without colors.
enum SkyStyle {
  static let text = """
    \(PictureStyle.common)
    .mark{fill:none;stroke-width:2.2;stroke-linejoin:round}
    \(colors(light, ground: "#f3f5f7"))
    @media (prefers-color-scheme:dark){
    \(PictureStyle.darkCommon)
    \(colors(dark, ground: "#161b22"))
    }
    """

  private static let light = [
    ("gps", "#0072b2"), ("glonass", "#c04d00"), ("galileo", "#00785a"), ("beidou", "#b0457f"),
    ("sbas", "#8a6500"), ("qzss", "#2f7fae"), ("navic", "#5b4bb3"), ("imes", "#6e5a3a"),
    ("other", "#57606a"), ("plain", "#57606a"),
  ]
  private static let dark = [
    ("gps", "#56b4e9"), ("glonass", "#ff8a3d"), ("galileo", "#2fd6a3"), ("beidou", "#e79bc6"),
    ("sbas", "#f0e442"), ("qzss", "#9cd3f5"), ("navic", "#b3a7ff"), ("imes", "#d0b48c"),
    ("other", "#9da7b1"), ("plain", "#9da7b1"),
  ]

  private static func colors(_ colors: [(name: String, color: String)], ground: String) -> String {
    colors.map { name, color in
      ".\(name){stroke:\(color);fill:\(ground)}.used.\(name){fill:\(color);stroke:\(ground)}"
    }.joined(separator: "\n")
  }
}
