"""The papers and data that poise is built on."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Citation:
    """One work and what poise takes from it."""

    authors: str
    year: int
    title: str
    where: str
    takes: str
    kind: str = "article"

    def text(self) -> str:
        """One line for a reader."""
        return f"{self.authors} ({self.year}). {self.title}. {self.where}. [{self.takes}]"

    def bibtex(self, key: str) -> str:
        """A BibTeX entry under this key."""
        place = {"phdthesis": "school", "misc": "howpublished"}.get(self.kind, "journal")
        authors = " and ".join(self.authors.split("; "))
        fields = {"author": authors, "title": self.title, place: self.where, "year": str(self.year), "note": self.takes}
        return f"@{self.kind}{{poise-{key},\n" + "".join(f"  {k} = {{{v}}},\n" for k, v in fields.items()) + "}"

    def to_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return asdict(self)


CITATIONS: dict[str, Citation] = {
    "modal": Citation(
        "Jain, Sumit; Liu, C. Karen", 2011, "Modal-space control for articulated characters",
        "ACM Transactions on Graphics 30(5)", "long-horizon planning in modal space; the body human42"),
    "mcsim": Citation(
        "da Silva, Marco; Abe, Yeuhi; Popović, Jovan", 2008,
        "Simulation of human motion data using short-horizon model-predictive control",
        "Computer Graphics Forum 27(2)", "short-horizon tracking by QP; the bodies biped18 and human57"),
    "posture": Citation(
        "Ye, Yuting", 2012, "Simulation of characters with natural interactions", "Georgia Institute of Technology",
        "chapter 3: postural response in near-unactuated coordinates", "phdthesis"),
    "momentum": Citation(
        "Ye, Yuting", 2012, "Simulation of characters with natural interactions", "Georgia Institute of Technology",
        "chapter 4 and appendix A: optimal feedback on the abstract model", "phdthesis"),
    "hands": Citation(
        "Ye, Yuting", 2012, "Simulation of characters with natural interactions", "Georgia Institute of Technology",
        "chapter 5: object manipulation by contact search", "phdthesis"),
    "vibration": Citation(
        "Nunes, Rubens F.; Cavalcante-Neto, Joaquim B.; Vidal, Creto A.; Kry, Paul G.; Zordan, Victor B.", 2012,
        "Using natural vibrations to guide control for locomotion",
        "Symposium on Interactive 3D Graphics and Games", "gaits from vibration modes; runner, monster and kangaroo"),
    "balance": Citation(
        "da Silva, Danilo Borges", 2014,
        "A simplified contact model for treating the balance of biped virtual characters",
        "Federal University of Ceará", "whole-body Jacobian-transpose balance; the body human45"),
    "rehearsed": Citation(
        "Liu, Libin; Yin, KangKang; van de Panne, Michiel; Shao, Tianjia; Xu, Weiwei", 2010,
        "Sampling-based contact-rich motion control", "ACM Transactions on Graphics 29(4)",
        "windows of sampled servo targets, simulated and thinned out"),
    "rehearsed-adaptation": Citation(
        "Liu, Libin; Yin, KangKang; Guo, Baining", 2015, "Improving sampling-based motion control",
        "Computer Graphics Forum 34(2)", "covariances of the samples learnt from pass to pass"),
    "rehearsed-feedback": Citation(
        "Liu, Libin; van de Panne, Michiel; Yin, KangKang", 2016, "Guided learning of control graphs for "
        "physics-based characters", "ACM Transactions on Graphics 35(3)", "linear feedback distilled from samples"),
    "anthropometry": Citation(
        "de Leva, Paolo", 1996, "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters",
        "Journal of Biomechanics 29(9), 1223-1230", "masses, centres and radii of gyration of body segments"),
    "cmu": Citation(
        "Carnegie Mellon University Graphics Lab", 2003, "CMU Graphics Lab motion capture database",
        "mocap.cs.cmu.edu, created with funding from NSF EIA-0196217",
        "recordings used in tests; none is shipped", "misc"),
    "deepmimic": Citation(
        "Peng, Xue Bin; Abbeel, Pieter; Levine, Sergey; van de Panne, Michiel", 2018,
        "DeepMimic: example-guided deep reinforcement learning of physics-based character skills",
        "ACM Transactions on Graphics 37(4)", "a file format, and recordings used in tests; none is shipped"),
    "mujoco": Citation(
        "Todorov, Emanuel; Erez, Tom; Tassa, Yuval", 2012, "MuJoCo: a physics engine for model-based control",
        "IEEE/RSJ International Conference on Intelligent Robots and Systems, 5026-5033",
        "simulator and dynamics terms"),
}  # fmt: skip
